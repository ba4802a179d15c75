import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { packedService } from './helpers/packed.js'
import { isOfSession, page, REPOSITORY } from './helpers/pages.js'
import { type Home, makeHome } from './helpers/terminal.js'
import { World } from './helpers/world.js'

const CONTENT = Buffer.from('hour,height\n'.repeat(500))
const run = promisify(execFile)

/** Puts into a folder what npm installs there: this package as it is packed with what it needs, its command, and viem. */
function installInto(folder: string): void {
  const modules = join(folder, 'node_modules')
  const tidegate = join(modules, 'tidegate')
  cpSync(packedService(), tidegate, { recursive: true })
  const { bin, dependencies } = JSON.parse(readFileSync(join(tidegate, 'package.json'), 'utf8')) as {
    bin: { tidegate: string }
    dependencies: Record<string, string>
  }
  chmodSync(join(tidegate, bin.tidegate), 0o755)
  mkdirSync(join(modules, '.bin'))
  symlinkSync(join('../tidegate', bin.tidegate), join(modules, '.bin/tidegate'))
  for (const name of [...Object.keys(dependencies), 'viem']) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(REPOSITORY, 'node_modules', name), join(modules, name))
  }
}

/** The pages whose blocks are pasted in sequence into one shell. */
describe.skipIf(spawnSync('curl', ['--version']).error)('what is copied and pasted from the pages', () => {
  let world: World
  let home: Home
  let url: string
  beforeAll(async () => {
    world = await World.start()
    home = makeHome()
    installInto(home.folder)
    url = world.storage.file('/tides.csv', CONTENT)
  })

  /** Runs the blocks of a page in one shell. Answers what it printed, and a reader of what it wrote. */
  async function typed(path: string, variables: Record<string, string> = {}) {
    const cwd = join(home.folder, path.replace(/\W/g, '-'))
    mkdirSync(cwd)
    const blocks = page(path).blocks.filter(
      (block) => isOfSession({ ...block, path }) || /^export FILE_URL/.test(block.text),
    )
    for (const { file, text } of blocks) if (file !== undefined) writeFileSync(join(cwd, file), text)
    const here = world.network
    const lines = blocks
      .filter(({ language }) => language === 'sh')
      .map(({ text }) =>
        text
          .replaceAll('https://provider.example.org', here.providerUrl)
          .replaceAll('https://rpc.example.org', here.rpcUrl),
      )
      .map((text) => text.replace(/https:\/\/www\.rfc-editor\.org\S+/, url))
    expect(lines.length).toBeGreaterThan(1)
    const script = [
      'set -euo pipefail',
      'curl() { command curl --fail -sS "$@"; }',
      // a person types it
      "read() { PASSWORD='a long sentence that nobody guesses'; }",
      ...lines.map((text, at) => `echo "== ${at}" >&2\n${text}`),
    ].join('\n')
    const env = {
      PATH: [join(home.folder, 'node_modules/.bin'), dirname(process.execPath), process.env.PATH].join(':'),
      ...home.environment,
      TIDEGATE_PROVIDER: here.providerUrl,
      TIDEGATE_RPC: here.rpcUrl,
      PROVIDER: here.providerUrl,
      ...variables,
    }
    const { stdout } = await run('bash', ['-c', script], { cwd, env })
    return { stdout, written: (file: string) => readFileSync(join(cwd, file)) }
  }

  it('has the command where the page on it says', async () => {
    expect(page('docs/cli.md').text).toContain('`npx tidegate` runs it')
    const { stdout } = await run('npx', ['--no-install', 'tidegate', '--version'], { cwd: home.folder })
    expect(stdout.trim()).toBe(JSON.parse(readFileSync(`${REPOSITORY}package.json`, 'utf8')).version)
  })

  it('publishes', async () => {
    const { stdout } = await typed('docs/publish.md')
    expect(stdout).toMatch(/^did:op:[0-9a-f]{64}$/m)
    expect(stdout).toContain('5 OCEAN')
    expect(stdout).toContain('CC-BY-4.0')
    expect(stdout).toMatch(/is revoked[\s\S]+is active/)
    expect(stdout).toMatch(/^wallet\.json 0x[0-9a-fA-F]{40}$/m)
    expect(stdout).toMatch(/^01\.csv\n02\.csv\n03\.csv$/m)
  })

  it('buys', async () => {
    const [, publisher] = world.network.accounts
    const asset = await world.publishUrl(url, {
      publisher: world.provider.getSigner(publisher?.address),
      pricing: { fixed: '5' },
    })
    const { stdout, written } = await typed('docs/buy.md', { DID: asset.did })
    for (const file of ['tides.csv', 'again.csv', 'linked.csv']) expect(written(file).equals(CONTENT), file).toBe(true)
    expect(stdout).toContain('5 OCEAN')
    expect(stdout).toContain(`${CONTENT.length}`)
  })

  it('signs', async () => {
    const { asset, buyer, txId: TX } = await world.sold(url)
    const variables = { DID: asset.did, SERVICE: asset.ddo.services[0]?.id as string, TX, ADDRESS: buyer.address }
    const secret = { PRIVATE_KEY: buyer.privateKey }
    const { written } = await typed('docs/signatures.md', { ...variables, ...secret })
    expect(written('tides.csv').equals(CONTENT)).toBe(true)
    const cwd = join(home.folder, 'docs-signatures-md')
    const { stdout } = await run(process.execPath, ['vector.mjs'], { cwd })
    const [vector] = page('docs/signatures.md').blocks.filter(({ language }) => language === 'text')
    expect(stdout).toBe(vector?.text)
    await run(process.execPath, ['download.mjs'], {
      cwd,
      env: { ...variables, ...secret, PROVIDER: world.network.providerUrl },
    })
    expect(written('file.bin').equals(CONTENT)).toBe(true)
  })
})
