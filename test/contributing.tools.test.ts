import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from './helpers/cleanup.js'
import { type CodeBlock, page, REPOSITORY } from './helpers/pages.js'

const EXAMPLE = 'Ten minutes: a storage kind'
const COPIED = [
  'packages',
  'test',
  'demo',
  'scripts',
  'deploy',
  'docs',
  'stress',
  'CHANGELOG.md',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'vitest.config.ts',
  'biome.json',
]
const run = promisify(execFile)

/** The worked example of CONTRIBUTING.md, followed in a copy of the repository. */
describe('CONTRIBUTING.md', () => {
  const copy = newFolder()
  const example = page('CONTRIBUTING.md').text.split(`## ${EXAMPLE}\n`)[1] as string
  const blocks = page('CONTRIBUTING.md').blocks.filter(({ heading }) => heading === EXAMPLE)
  const files = blocks.filter((block): block is CodeBlock & { file: string } => block.file !== undefined)
  const sources = files.map(({ file }) => file).filter((file) => file.endsWith('.ts'))
  const commands = blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.trim().split('\n'))

  beforeAll(() => {
    for (const name of [...COPIED, '.gitignore']) cpSync(join(REPOSITORY, name), join(copy, name), { recursive: true })
    linkModules(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'))
    for (const { file, language, text } of files) {
      const path = join(copy, file)
      if (language === 'diff') writeFileSync(path, patched(readFileSync(path, 'utf8'), text, file))
      else writeFileSync(path, text, { flag: 'wx' })
    }
  })

  async function outputOf(command: string): Promise<string> {
    if (command === 'npm run typecheck') return typeErrors().join('\n')
    // nothing else has changed since `npm run lint` of this checkout, which takes ten times as long
    const linted = command === 'npm run lint' ? ['npx', 'biome', 'check', ...sources] : undefined
    const [program = '', ...args] = linted ?? command.split(' ')
    const env = { ...process.env, CI: 'true', NO_COLOR: '1' }
    for (const name of Object.keys(env)) if (name.startsWith('VITEST')) delete (env as NodeJS.ProcessEnv)[name]
    const { stdout } = await run(program, args, { cwd: copy, env }).catch((error) => {
      throw new Error(`${command}: ${error.stdout}${error.stderr}`)
    })
    return stdout
  }

  /** The type errors in the files of the example alone: checking everything takes a minute on a small machine. */
  function typeErrors(): string[] {
    const read = ts.readConfigFile(join(copy, 'tsconfig.json'), ts.sys.readFile)
    const { options } = ts.parseJsonConfigFileContent({ ...read.config, include: [] }, ts.sys, copy)
    const paths = sources.map((file) => join(copy, file))
    const program = ts.createProgram(paths, options)
    return paths
      .map((path) => program.getSourceFile(path) as ts.SourceFile)
      .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
  }

  it('adds a storage kind with the files that it lists, and the kind passes the tests', async () => {
    const [, table = ''] = /\n\|---\|---\|\n((?:\|.+\n)+)/.exec(example) ?? []
    const listed = [...table.matchAll(/`([\w/.-]+)`/g)].map(([, file]) => file)
    expect(files.map(({ file }) => file)).toEqual(listed.filter((file) => file?.includes('.')))
    expect(commands).toEqual([
      'npx vitest run packages/storage/test/kinds/git.test.ts test/storage-kinds.test.ts',
      'npm run docs',
      'npm run typecheck',
      'npm run lint',
      'npm test',
    ])
    // npm test would run this test again
    const said = await Promise.all(commands.slice(0, -1).map(outputOf))
    expect(said[0]).toMatch(/\n\d+ passed, 0 failed, 0 skipped/)
    expect(said[2]).toBe('')
    expect(said[1]).toContain('wrote docs/openapi.json')
    expect(said[3]).toContain(`Checked ${sources.length} files`)
    expect(readFileSync(join(copy, 'docs/openapi.json'), 'utf8')).toContain('"git"')
    expect(readFileSync(join(copy, 'docs/limits.md'), 'utf8')).toContain('gitLogin')
  })
})

/** Links installed packages into a folder. Packages of the workspace are those of the copy. */
function linkModules(from: string, to: string): void {
  mkdirSync(join(to, '@tidegate'), { recursive: true })
  for (const name of readdirSync(from))
    if (name !== '@tidegate' && !name.startsWith('.vite')) symlinkSync(join(from, name), join(to, name))
  for (const name of readdirSync(join(from, '@tidegate')))
    symlinkSync(join('../..', name === 'tests' ? 'test' : `packages/${name}`), join(to, '@tidegate', name))
}

/** Applies a diff to a text: lines with a space, - or +, and @@ between hunks. Throws if a hunk does not match. */
function patched(text: string, diff: string, name: string): string {
  for (const hunk of diff.trimEnd().split(/^@@.*\n/m)) {
    const lines = hunk.replace(/\n$/, '').split('\n')
    const side = (sign: string) =>
      lines.filter((line) => [' ', sign].includes(line[0] ?? ' ')).map((line) => `${line.slice(1)}\n`)
    const [before, after] = [side('-').join(''), side('+').join('')]
    if (text.split(before).length !== 2) throw new Error(`${name} has not once what the diff changes:\n${before}`)
    text = text.replace(before, () => after)
  }
  return text
}
