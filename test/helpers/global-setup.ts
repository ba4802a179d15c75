import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { startAnvil } from '../../src/dev/anvil.js'
import { DEV_NETWORK, deployContracts } from '../../src/dev/deploy.js'
import { build } from './built.js'
import { PREPARED } from './prepared.js'

/** Builds the fixtures that most test files share, and removes them at the end. `prepared` finds them. */
export default async function prepare(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-run-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  for (const name of ['build', 'chain', 'contracts']) mkdirSync(join(folder, name))
  build(join(folder, 'build'))
  // started often, and several times as fast as from source
  buildSync({
    entryPoints: [fileURLToPath(new URL('nonce-writer.ts', import.meta.url))],
    outfile: join(folder, 'build', 'nonce-writer.mjs'),
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  })
  const anvil = await startAnvil({ port: 0, stateFile: join(folder, 'chain', 'chain.json') })
  const addresses = { [DEV_NETWORK]: await deployContracts(anvil.rpcUrl) }
  writeFileSync(join(folder, 'chain', 'address.json'), JSON.stringify(addresses))
  await anvil.stop()
  process.env[PREPARED] = folder
  // local networks leave word of themselves, which whoever runs the tests must not find
  Object.assign(process.env, { XDG_STATE_HOME: join(folder, 'state'), XDG_RUNTIME_DIR: '' })
  return remove
}
