// Builds oceanprotocol/market, runs it on a local network with the sample data, and buys an asset in a browser. `npm run
// fronts [-- --source URL --folder FOLDER]`: where to clone it from and to.
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startLocalNetwork } from '../../packages/dev-network/src/network.js'
import { launchBrowser } from '../helpers/browser.js'
import { buildMarket, serveMarket } from './market.js'
import { tourMarket } from './tour.js'

const { source, folder } = parseArgs({
  options: {
    source: { type: 'string', default: 'https://github.com/oceanprotocol/market' },
    folder: { type: 'string', default: join(tmpdir(), 'tidegate-fronts', 'market') },
  },
}).values
/** The ports of `npm run dev`: the market expects chain 8996 at 8545. */
const PORTS = { port: 8030, rpcPort: 8545 }
/** Accounts without an order in the sample data, by width of the screen in CSS pixels. */
const BUYERS = { 390: 0, 1440: 6 }
/** Errors of requests to the internet, which the tour blocks. */
const BLOCKED = /WebSocket connection|websocket error|Failed to fetch|Network Error|No response with/
const pictures = 'screenshots/market'
rmSync(pictures, { recursive: true, force: true })
mkdirSync(pictures, { recursive: true })
console.log('Publishing the sample data …')
const environment = { ORDERS_FORM: 'market', LOG_LEVEL: 'error', INDEX_POLL_INTERVAL: '300' }
const network = await startLocalNetwork({ ...PORTS, seed: true, environment })
const cleanUp: (() => unknown)[] = [() => network.close()]
try {
  console.log('Building the market …')
  await buildMarket(source, folder, network.facts)
  const market = await serveMarket(folder)
  cleanUp.push(() => market.process.kill())
  const browser = await launchBrowser()
  cleanUp.push(() => browser.close())
  const did = network.seeded?.assets['tide tables'] as string
  for (const [width, buyer] of Object.entries(BUYERS)) {
    const tour = { browser, origin: market.origin, network: network.facts, did, buyer, width: Number(width), pictures }
    const { failed, errors } = await tourMarket(tour)
    console.log(`At ${width} pixels: searched, bought, owned, downloaded.`)
    for (const error of new Set(errors)) if (!BLOCKED.test(error)) console.log(`  its console: ${error}`)
    const ours = failed.filter((one) => one.includes(network.facts.providerUrl))
    if (ours.length > 0) throw new Error(`Requests to the service failed:\n${ours.join('\n')}`)
  }
} finally {
  for (const step of cleanUp.reverse()) await step()
}
