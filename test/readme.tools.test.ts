import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { owned } from './helpers/children.js'
import { program } from './helpers/command.js'
import { preparedState } from './helpers/dev.js'
import { page, REPOSITORY } from './helpers/pages.js'

const { blocks } = page('README.md')

/** What differs from one run to the next, and what stands for it on both sides. */
const VARIABLE: [RegExp, string][] = [
  [/\b127\.0\.0\.1:\d+/g, '127.0.0.1:PORT'],
  [/\S+\/address\.json/g, 'FOLDER/address.json'],
  [/\b(order 0x|sha256 )[0-9a-f]+…?/g, '$1HASH'],
  [/\b\d+ms$/gm, 'DURATION'],
]

/** The lines of an output that are not empty. */
function linesOf(output: string): string[] {
  const known = VARIABLE.reduce((text, [pattern, name]) => text.replace(pattern, name), output)
  return known.split('\n').filter((line) => line.trim() !== '')
}

/** Whether a line of the page stands for a line of the output; `…` stands for the rest of a word. */
function isLike(shown: string, printed: string | undefined): boolean {
  const escaped = shown.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return printed !== undefined && new RegExp(`^${escaped.replaceAll('…', '\\S*')}$`).test(printed)
}

/** The first difference between a block of the page and an output. A line `…` stands for lines, but not for commands. */
function difference(shown: string, output: string): string | undefined {
  const printed = linesOf(output)
  let [at, abridged] = [0, false]
  for (const line of linesOf(shown)) {
    if (line.trim() === '…') {
      abridged = true
      continue
    }
    while (abridged && at < printed.length && !isLike(line, printed[at]) && !printed[at]?.startsWith('$ ')) at += 1
    if (!isLike(line, printed[at])) return `shown: ${line}\nprinted: ${printed[at]}`
    at += 1
    abridged = false
  }
  return abridged || at === printed.length ? undefined : `not shown: ${printed[at]}`
}

/** Runs a program of node to its end. Resolves with all that it printed; `last` is a line that asks for Ctrl-C. */
function outputOf(args: string[], last?: string): Promise<string> {
  const env: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1' }
  for (const name of Object.keys(env)) if (/^(VITEST|FORCE_COLOR)/.test(name)) delete env[name]
  return new Promise((resolve, reject) => {
    const child = owned(spawn(process.execPath, args, { cwd: REPOSITORY, env, stdio: ['ignore', 'pipe', 'pipe'] }))
    let output = ''
    const add = (chunk: string) => {
      output += chunk
      if (last && output.includes(last)) child.kill('SIGINT')
    }
    child.stdout.setEncoding('utf8').on('data', add)
    child.stderr.setEncoding('utf8').on('data', last ? () => undefined : add)
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`ended with ${code}: ${output}`))))
  })
}

/** The output that follows a command on the page. */
function shownAfter(command: string): string {
  const at = blocks.findIndex(({ language, text }) => language === 'sh' && text === `${command}\n`)
  const block = blocks.slice(at + 1).find(({ language }) => language === 'text')
  if (at < 0 || block === undefined) throw new Error(`README.md shows no output of ${command}.`)
  return block.text
}

describe('the outputs that README.md shows', () => {
  it('are those of the demo', async () => {
    const [built = '', ...source] = program()
    const printed =
      source.length === 0
        ? await outputOf(['--import', 'tsx', 'demo/run.ts', built])
        : await outputOf(['scripts/run.mjs', 'demo'])
    expect(difference(shownAfter('npm run demo'), printed)).toBeUndefined()
  })

  it('are those of a local network', async () => {
    const args = [...program(), 'dev', '--seed', '--port', '0', '--rpc-port', '0', ...preparedState()]
    const printed = await outputOf(args, 'Stop with Ctrl-C.')
    expect(difference(shownAfter('npm run dev -- --seed'), printed)).toBeUndefined()
  })

  it('are those of the tests', async () => {
    const shown = linesOf(shownAfter('npm test')).filter((line) => line.trim() !== '…')
    const files = shown.flatMap((line) => /✓ \|unit\| (\S+)/.exec(line)?.[1] ?? [])
    expect(files).toHaveLength(2)
    const vitest = join(REPOSITORY, 'node_modules/vitest/vitest.mjs')
    const printed = linesOf(await outputOf([vitest, 'run', ...files]))
    const missing = shown.filter((line) => !printed.some((one) => isLike(line, one)))
    expect(missing, printed.join('\n')).toEqual([])
  })

  it('differ where a line is changed, left out or added, and where a command is skipped', () => {
    const output = '$ one\nport 127.0.0.1:1\n\n$ two\na\nb\nc\n'
    expect(difference('$ one\nport 127.0.0.1:2\n$ two\na\n…\nc\n', output)).toBeUndefined()
    for (const other of [
      '$ one\n…\nb\n…',
      '$ one\n$ two\n…',
      '$ one\n…\n$ two\na\nc',
      '$ one\n…\n$ two\na\nb',
      '…\n$ two',
    ])
      expect(difference(other, output), other).toBeTypeOf('string')
  })
})
