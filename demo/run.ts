import { createHash, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ethers } from 'ethers'
import { ocean } from './client.js'
import { acquire, downloadUrl, order, quote } from './consume.js'
import { type DevProcess, spawnDev } from './local-dev.js'
import { publish } from './publish.js'

/** What a publisher and a consumer do, on real parts, each step told with its time. Exit code 0: the bytes are identical. */
async function demo(): Promise<void> {
  const step = stopwatch()
  const file = randomBytes(5 * 1024 * 1024)
  const storage = await serve(file)
  let dev: DevProcess | undefined
  try {
    dev = await spawnDev()
    const network = dev.facts
    step(`local network ready: provider ${network.providerUrl}, chain ${network.rpcUrl}`)

    const provider = new ethers.providers.JsonRpcProvider(network.rpcUrl)
    const [publisher, consumer, stranger] = [provider.getSigner(1), provider.getSigner(2), provider.getSigner(3)]
    const url = `http://127.0.0.1:${(storage.address() as AddressInfo).port}/tides.bin`
    const asset = await publish({
      network,
      publisher,
      files: [{ type: 'url', url, method: 'GET' }],
      onStep: (what) => step(`publisher: ${what}`),
    })
    await new ocean.Aquarius(network.providerUrl).waitForIndexer(asset.did, asset.txId, undefined, 50, 200)
    step(`index: ${asset.did} resolves`)

    const [info] = await ocean.ProviderInstance.checkDidFiles(asset.did, 'tide-access', network.providerUrl, true)
    step(`fileinfo: valid ${info?.valid}, ${info?.contentLength} bytes, ${info?.contentType}, sha256 ${info?.checksum}`)
    const fee = await quote(network, asset, await consumer.getAddress())
    step(`initialize: provider fee ${fee.providerFeeAmount} to ${fee.providerFeeAddress}`)
    await acquire(network, asset, consumer)
    const txId = await order(network, asset, consumer, fee)
    step(`consumer: ordered in transaction ${txId}`)

    const response = await fetch(await downloadUrl(network, asset, txId, consumer))
    const received = Buffer.from(await response.arrayBuffer())
    const [sent, got] = [sha256(file), sha256(received)]
    step(`download: ${response.status}, ${received.length} bytes, ${response.headers.get('content-disposition')}`)
    if (sent !== got) throw new Error(`The bytes differ: served ${sent}, received ${got}.`)
    step(`bytes identical: sha256 ${got}`)

    const refused = await fetch(await downloadUrl(network, asset, txId, stranger))
    const reason = await refused.text()
    if (refused.status !== 400) throw new Error(`Another account got ${refused.status}: ${reason}`)
    step(`another account with the same order: ${refused.status} ${reason}`)
  } finally {
    await dev?.stop()
    storage.close()
    storage.closeAllConnections()
  }
  step('everything stopped')
}

function serve(file: Buffer): Promise<Server> {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': file.length })
    response.end(request.method === 'HEAD' ? undefined : file)
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

/** Prints each step with the milliseconds that it took. */
function stopwatch(): (what: string) => void {
  let last = performance.now()
  return (what) => {
    const now = performance.now()
    console.log(`${`${Math.round(now - last)} ms`.padStart(8)}  ${what}`)
    last = now
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

await demo().catch((error: Error) => {
  console.error(`The demo failed: ${error.message}`)
  process.exitCode = 1
})
