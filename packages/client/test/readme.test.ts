import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../../test/helpers/built.js'
import { owned } from '../../../test/helpers/children.js'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { prepared } from '../../../test/helpers/prepared.js'
import { World } from '../../../test/helpers/world.js'

const PACKAGES = join(ROOT, 'node_modules')
const README = readFileSync(join(ROOT, 'packages', 'client', 'README.md'), 'utf8')
const examplesOf = (page: string) => [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code as string)

/** npm's codes for a registry that cannot be reached. */
const UNREACHABLE =
  /npm error (code|type) (E?(NOTFOUND|AI_AGAIN|CONN\w+|HOSTUNREACH|NETUNREACH|\w*TIMEDOUT|\w*TIMEOUT))/

describe('the examples of the README and of its page', () => {
  const folder = newFolder()
  let world: World
  let tarball: string
  beforeAll(async () => {
    world = await World.start()
    const packing = join(folder, 'packing')
    for (const file of ['package.json', 'README.md', 'LICENSE'])
      cpSync(join(ROOT, 'packages', 'client', file), join(packing, file))
    const dist = prepared('checkout', 'packages', 'client', 'dist') as string
    cpSync(dist, join(packing, 'dist'), { recursive: true })
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
    const [{ filename }] = JSON.parse(execFileSync('npm', args, { cwd: packing, encoding: 'utf8' }))
    tarball = join(folder, filename)
  })

  it('compile strictly and run with the oldest viem that the package allows', async () => {
    const own = mkdtempSync(join(folder, 'oldest-'))
    const client = join(own, 'node_modules', '@tidegate', 'client')
    mkdirSync(client, { recursive: true })
    execFileSync('tar', ['-xzf', tarball, '-C', client, '--strip-components', '1'])
    symlinkSync(join(PACKAGES, 'viem'), join(own, 'node_modules', 'viem'))
    const { version } = JSON.parse(readFileSync(join(PACKAGES, 'viem', 'package.json'), 'utf8'))
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'))
    expect({ dependencies, peerDependencies }).toEqual({ peerDependencies: { viem: `^${version}` } })
    await runExamples(own)
  })

  it('compile strictly and run after the installation in an empty folder, with one viem, the newest', async (test) => {
    const own = mkdtempSync(join(folder, 'newest-'))
    const [, command = ''] = /```sh\n(npm install .*)\n```/.exec(README) ?? []
    const [, ...args] = command.replace('@tidegate/client', tarball).split(' ')
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=1', '--loglevel=error']
    try {
      await promisify(execFile)('npm', [...args, ...options], { cwd: own })
    } catch (error) {
      if (!UNREACHABLE.test((error as { stderr: string }).stderr)) throw error
      console.warn('SKIPPED: the README with the newest viem. It needs the registry of npm.')
      return test.skip()
    }
    const { packages } = JSON.parse(readFileSync(join(own, 'package-lock.json'), 'utf8'))
    const viems = Object.keys(packages).filter((key) => key.endsWith('node_modules/viem'))
    expect(viems).toEqual(['node_modules/viem'])
    await runExamples(own)
  }, 240_000)

  /** Compiles and runs all examples in a folder with the packages of the README. */
  async function runExamples(own: string): Promise<void> {
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
    const compiled = await ended(own, [join(PACKAGES, 'typescript', 'bin', 'tsc'), '-p', '.'])
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
})

/** Runs Node in a folder until it ends. */
async function ended(cwd: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = owned(spawn(process.execPath, args, { cwd, env: { ...process.env, ...env } }))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data))
  const [status] = await once(child, 'close')
  return { status, output }
}
