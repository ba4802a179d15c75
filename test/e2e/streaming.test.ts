import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ethers } from 'ethers'
import { expect, it } from 'vitest'
import { acquire, downloadUrl, order, quote } from '../../demo/consume.js'
import { spawnDev } from '../../demo/local-dev.js'
import { publish } from '../../demo/publish.js'
import { eventually } from '../helpers/eventually.js'
import { ask } from '../helpers/requests.js'
import { StorageServer } from '../helpers/storage-server.js'

const MIB = 1024 * 1024
const CHUNK = Buffer.alloc(MIB, 'tide ')

/** Resident memory of a process in bytes (Linux tells it in pages of 4 KiB). */
function residentMemory(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096
}

it.runIf(process.platform === 'linux')('streams 1 GiB byte by byte with less than 50 MiB more memory', async () => {
  const [dev, storage] = await Promise.all([spawnDev(), StorageServer.start()])
  const url = storage.on('/gibibyte', (request, response) => {
    const mebibytes = Number(request.headers['x-mebibytes'])
    response.writeHead(200, { 'content-length': mebibytes * MIB })
    if (request.method === 'HEAD') return void response.end()
    let sent = 0
    const more = () => {
      while (sent < mebibytes) {
        sent += 1
        if (!response.write(CHUNK)) return void response.once('drain', more)
      }
      response.end()
    }
    more()
  })
  try {
    const provider = new ethers.providers.JsonRpcProvider(dev.facts.rpcUrl)
    const [publisher, consumer] = [provider.getSigner(1), provider.getSigner(2)]
    const download = async (mebibytes: number, onChunk: () => void) => {
      const headers = { 'x-mebibytes': String(mebibytes) }
      const asset = await publish({
        network: dev.facts,
        publisher,
        files: [{ type: 'url', url, method: 'GET', headers }],
      })
      await eventually(
        async () => (await ask(`${dev.facts.providerUrl}/api/aquarius/assets/ddo/${asset.did}`)).status === 200,
      )
      const fee = await quote(dev.facts, asset, await consumer.getAddress())
      await acquire(dev.facts, asset, consumer)
      const txId = await order(dev.facts, asset, consumer, fee)
      const before = storage.seen('/gibibyte').length
      const response = await fetch(await downloadUrl(dev.facts, asset, txId, consumer))
      const hash = createHash('sha256')
      let bytes = 0
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        hash.update(chunk)
        bytes += chunk.length
        onChunk()
      }
      expect(storage.seen('/gibibyte').length - before).toBe(1)
      return { bytes, sha256: hash.digest('hex') }
    }
    const pid = dev.process.pid as number
    await download(64, () => undefined)
    const before = residentMemory(pid)
    let peak = before
    const received = await download(1024, () => {
      peak = Math.max(peak, residentMemory(pid))
    })
    const expected = createHash('sha256')
    for (let sent = 0; sent < 1024; sent++) expected.update(CHUNK)
    expect(received).toEqual({ bytes: 1024 * MIB, sha256: expected.digest('hex') })
    expect((peak - before) / MIB).toBeLessThan(50)
  } finally {
    await dev.stop()
    await storage.close()
  }
})
