import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { startAnvil } from '../../packages/dev-network/src/anvil.js'
import { DEV_NETWORK, deployContracts } from '../../packages/dev-network/src/deploy.js'
import { workspaceModules } from '../../scripts/build/workspace-modules.mjs'
import { ROOT, withPackages } from './built.js'
import { offerPostgres } from './postgres-of-run.js'
import { PREPARED, prepared } from './prepared.js'
import { copyForImage } from './sources.js'

/** Builds the fixtures that most test files share, and removes them at the end. `prepared` finds them. */
export default async function prepare(): Promise<() => unknown> {
  // a run that a test of another run starts has those of that
  if (prepared() !== undefined) return () => undefined
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-run-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  for (const name of ['chain', 'checkout', 'contracts']) mkdirSync(join(folder, name))
  await Promise.all([
    buildAsForImage(join(folder, 'checkout'), join(folder, 'build')),
    deployTo(join(folder, 'chain')),
    // started often, and several times as fast as from source
    build({
      entryPoints: [fileURLToPath(new URL('nonce-writer.ts', import.meta.url))],
      outfile: join(folder, 'build', 'nonce-writer.mjs'),
      bundle: true,
      plugins: [workspaceModules(ROOT)],
      packages: 'external',
      platform: 'node',
      format: 'esm',
    }),
  ])
  process.env[PREPARED] = folder
  // the file that names a local network must not reach the user who runs the tests
  Object.assign(process.env, { XDG_STATE_HOME: join(folder, 'state'), XDG_RUNTIME_DIR: '' })
  const endPostgres = await offerPostgres()
  return () => endPostgres().finally(remove)
}

/** Deploys the contracts to a chain, and leaves its state there. */
async function deployTo(chain: string): Promise<void> {
  const anvil = await startAnvil({ port: 0, stateFile: join(chain, 'chain.json') })
  const addresses = { [DEV_NETWORK]: await deployContracts(anvil.rpcUrl) }
  writeFileSync(join(chain, 'address.json'), JSON.stringify(addresses))
  await anvil.stop()
}

/** Builds what an image is built of, and moves the build of the service away from its sources. */
async function buildAsForImage(checkout: string, target: string): Promise<void> {
  copyForImage(checkout)
  await promisify(execFile)('npm', ['run', 'build'], { cwd: checkout, shell: process.platform === 'win32' })
  mkdirSync(target, { recursive: true })
  renameSync(join(checkout, 'dist'), join(target, 'dist'))
  withPackages(target)
}
