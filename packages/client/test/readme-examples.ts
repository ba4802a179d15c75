import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { ROOT } from '../../../test/helpers/built.js'
import { owned } from '../../../test/helpers/children.js'
import type { World } from '../../../test/helpers/world.js'

export const PACKAGES = join(ROOT, 'node_modules')
export const README = readFileSync(join(ROOT, 'packages', 'client', 'README.md'), 'utf8')
const examplesOf = (page: string) => [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code as string)

/**
 * Compiles and runs all examples of the README and of its page in a folder with the packages of the README. The native
 * compiler takes a fraction of the time of the other one.
 */
export async function runExamples(
  own: string,
  world: World,
  compiler: 'typescript' | 'typescript-native' = 'typescript-native',
): Promise<void> {
  const examples = examplesOf(README)
  expect(examples.length).toBeGreaterThan(8)
  const [first = '', ...others] = examplesOf(readFileSync(join(ROOT, 'docs/clients/tidegate-client.md'), 'utf8'))
  expect(others).toEqual([])
  // published assets must be indexed before a search, and orders before a receipt
  const indexed = `for (;;) {
    const response = await fetch(\`\${PROVIDER}/api/aquarius/assets/ddo/\${did}\`)
    if (response.ok) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }\n`
  const known = 'while (!(await tidegate.receipt(order).catch(() => false)));\n'
  const program = examples
    .map((code) => (code.includes('.receipt(') ? known + code : code))
    .map((code) => (code.includes('= published') ? code + indexed : code))
    .join('\n')
  // the page uses the addresses of a network with default ports
  const { providerUrl, rpcUrl } = world.network
  const here = first.replace('http://127.0.0.1:8030', providerUrl).replace('http://127.0.0.1:8545', rpcUrl)
  writeFileSync(join(own, 'page.mts'), `${here}\nconsole.log(assets.length, 'of the page')`)
  writeFileSync(join(own, 'readme.mts'), `${program}\nawait import('./page.mjs')\nconsole.log('the end')`)
  const compilerOptions = {
    ...{ strict: true, target: 'ES2023', module: 'NodeNext', skipLibCheck: true },
    ...{ types: ['node'], typeRoots: [join(PACKAGES, '@types')] },
  }
  writeFileSync(join(own, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['readme.mts', 'page.mts'] }))
  const compiled = await ended(own, [join(PACKAGES, compiler, 'bin', 'tsc'), '-p', '.'])
  expect(compiled).toEqual({ status: 0, output: '' })
  const { status, output } = await ended(own, ['readme.mjs'], {
    PROVIDER: providerUrl,
    RPC_URL: rpcUrl,
    PRIVATE_KEY: (await world.somebody()).privateKey,
    FILE_URL: world.storage.file('/tides.csv', Buffer.from('a,b\n1,2\n')),
  })
  expect(status, output).toBe(0)
  for (const line of ['Tide tables of Brest free 8', 'tides.csv text/csv 8', '4', 'ASSET_NOT_FOUND 404', 'the end'])
    expect(output.split('\n')).toContain(line)
  expect(output).toMatch(/^[1-9] of the page$/m)
  expect(readFileSync(join(own, 'tides.csv'), 'utf8')).toBe('a,b\n1,2\n')
}

/** Runs Node in a folder until it ends. */
async function ended(cwd: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = owned(spawn(process.execPath, args, { cwd, env: { ...process.env, ...env } }))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data))
  const [status] = await once(child, 'close')
  return { status, output }
}
