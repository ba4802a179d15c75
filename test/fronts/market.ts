import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NetworkInfo } from '../../packages/dev-network/src/network.js'
import { owned } from '../helpers/children.js'

/** The commit of oceanprotocol/market that this tool knows. */
const COMMIT = 'fae643079e2368e71d1fd67e00c8ec62cd6c281e'
/** Port of the market. */
const PORT = 8000
const NEXT = join('node_modules', 'next', 'dist', 'bin', 'next')

/** Runs a program in a folder with its output shown. Throws Error if it fails. */
async function run(folder: string, program: string, args: string[], environment: NodeJS.ProcessEnv = {}) {
  const options: SpawnOptions = { cwd: folder, stdio: ['ignore', 2, 2], env: { ...process.env, ...environment } }
  const [code] = (await once(spawn(program, args, options), 'close')) as [number | null]
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with code ${code}.`)
}

/** The variables of docs/clients/market.md for a local network. */
const variablesOf = ({ providerUrl, rpcUrl, addresses }: NetworkInfo) => ({
  NEXT_PUBLIC_NODE_URL: providerUrl,
  NEXT_PUBLIC_NODE_URI: rpcUrl,
  NEXT_PUBLIC_MARKET_DEVELOPMENT: 'true',
  NEXT_PUBLIC_NFT_FACTORY_ADDRESS: addresses.ERC721Factory,
  NEXT_PUBLIC_ROUTER_FACTORY_ADDRESS: addresses.Router,
  NEXT_PUBLIC_FIXED_RATE_EXCHANGE_ADDRESS: addresses.FixedPrice,
  NEXT_PUBLIC_DISPENSER_ADDRESS: addresses.Dispenser,
  NEXT_PUBLIC_OCEAN_TOKEN_ADDRESS: addresses.Ocean,
  NEXT_PUBLIC_OCEAN_TOKEN_SYMBOL: 'OCEAN',
})

/** Replaces a text in a file of the checkout. Throws Error if the file lacks it. */
function replace(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8')
  if (!text.includes(from)) throw new Error(`${file} has no ${from}.`)
  writeFileSync(file, text.replaceAll(from, to))
}

/** Lets the market list the local chain alone, and build without a network, type check and lint. */
function configure(folder: string, { chainId, rpcUrl }: NetworkInfo): void {
  replace(join(folder, 'app.config.cjs'), '[1, 10, 137, 11155111]', `[${chainId}]`)
  const unchecked = 'typescript: { ignoreBuildErrors: true }, eslint: { ignoreDuringBuilds: true },'
  replace(join(folder, 'next.config.js'), 'const config = {', `const config = { ${unchecked}`)
  const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  const chain = { name: 'Local', chain: 'ETH', rpc: [rpcUrl], nativeCurrency, chainId, networkId: chainId }
  writeFileSync(join(folder, 'content', 'networks-metadata.json'), JSON.stringify([chain]))
  writeFileSync(join(folder, 'content', 'repo-metadata.json'), JSON.stringify({ version: '', commit: COMMIT }))
}

/**
 * Clones the market from a URL or folder, installs its packages without their scripts, and builds it for a network. A
 * folder with a build for the same network stays as it is. Throws Error if a step fails.
 */
export async function buildMarket(source: string, folder: string, network: NetworkInfo): Promise<void> {
  const variables = variablesOf(network)
  const stamp = JSON.stringify({ COMMIT, ...variables })
  const built = join(folder, '.next', 'tidegate.json')
  if (existsSync(built) && readFileSync(built, 'utf8') === stamp) return
  await run('.', 'git', ['init', '--quiet', folder])
  await run(folder, 'git', ['fetch', '--quiet', '--depth', '1', source, COMMIT])
  await run(folder, 'git', ['checkout', '--quiet', '--force', COMMIT])
  await run(folder, 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'])
  configure(folder, network)
  rmSync(built, { force: true })
  await run(folder, process.execPath, [NEXT, 'build'], { ...variables, NEXT_TELEMETRY_DISABLED: '1' })
  writeFileSync(built, stamp)
}

/** Serves a built market, and returns its origin when it answers. Throws Error if it does not start. */
export async function serveMarket(folder: string): Promise<{ origin: string; process: ChildProcess }> {
  const origin = `http://127.0.0.1:${PORT}`
  const isServed = () => fetch(origin).then(Boolean, () => false)
  if (await isServed()) throw new Error(`${origin} is in use.`)
  const options: SpawnOptions = { cwd: folder, stdio: 'ignore' }
  const child = owned(spawn(process.execPath, [NEXT, 'start', '-p', String(PORT), '-H', '127.0.0.1'], options))
  while (child.exitCode === null) {
    if (await isServed()) return { origin, process: child }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`next start ended with code ${child.exitCode}.`)
}
