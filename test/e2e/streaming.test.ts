import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ethers } from 'ethers'
import { expect, it } from 'vitest'
import { acquire, downloadUrl, order, quote } from '../../demo/consume.js'
import { type DevProcess, spawnDev } from '../../demo/local-dev.js'
import { publish } from '../../demo/publish.js'
import { BIG_FILES, MIB } from '../helpers/big-files.js'
import { eventually } from '../helpers/eventually.js'
import { ask } from '../helpers/requests.js'

/** Whether it is `npm run test:large`: the same with sizes that take minutes. */
const LONG = process.env.LARGE_FILES !== undefined

/** Sizes of files, in MiB. */
const LARGE = LONG ? 4096 : 1024
const SMALL: Record<string, number> = { ipfs: LONG ? 1024 : 512 }
const OTHERWISE_SMALL = 256

/** Resident memory of a process in bytes (Linux tells it in pages of 4 KiB). */
function residentMemory(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096
}

/** Publishes and orders a file, and answers a signed URL that hands it out. */
async function ordered({ facts }: DevProcess, file: object): Promise<string> {
  const provider = new ethers.providers.JsonRpcProvider(facts.rpcUrl)
  const [publisher, consumer] = [provider.getSigner(1), provider.getSigner(2)]
  const asset = await publish({ network: facts, publisher, files: [file] })
  await eventually(async () => (await ask(`${facts.providerUrl}/api/aquarius/assets/ddo/${asset.did}`)).status === 200)
  const fee = await quote(facts, asset, await consumer.getAddress())
  await acquire(facts, asset, consumer)
  return downloadUrl(facts, asset, await order(facts, asset, consumer, fee), consumer)
}

/** Downloads all of it, calling `onChunk` on the way. */
async function received(url: string, onChunk: () => void = () => undefined) {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of (await fetch(url)).body as unknown as AsyncIterable<Uint8Array>) {
    hash.update(chunk)
    bytes += chunk.length
    onChunk()
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** The median of the last quarter: where memory has come to, without the swing of a collector that waits for its time. */
function levelOf(samples: number[]): number {
  const last = samples.slice(-Math.ceil(samples.length / 4)).sort((a, b) => a - b)
  return last[Math.floor(last.length / 2)] as number
}

function smallOf(kind: string): number {
  return SMALL[kind] ?? OTHERWISE_SMALL
}

/** Reads a little and leaves. */
async function glance(url: string): Promise<void> {
  const reader = (await fetch(url)).body?.getReader()
  for (let bytes = 0; bytes < 4 * MIB; ) bytes += (await reader?.read())?.value?.length ?? 0
  await reader?.cancel()
}

for (const [kind, start] of Object.entries(BIG_FILES))
  it.runIf(process.platform === 'linux')(
    `${kind}: ${LARGE} MiB with less than 50 MiB more memory than ${smallOf(kind)} MiB; a consumer who leaves ends the upstream transfer within 2 s`,
    { timeout: LONG ? 900_000 : 240_000 },
    async () => {
      const { door, file, head = '', mebibyte, settings, kept, close } = await start()
      const dev = await spawnDev([], settings)
      try {
        const pid = dev.process.pid as number
        let samples: number[] = []
        const watch = () => void samples.push(residentMemory(pid))
        // buffers that wait to be collected come to their level in the first file, with blocks later than with streams
        await received(await ordered(dev, await file(smallOf(kind))), watch)
        const before = levelOf(samples)
        samples = []
        const large = await file(LARGE)
        const whole = await received(await ordered(dev, large), watch)
        const expected = createHash('sha256').update(head)
        for (let sent = 0; sent < LARGE; sent++) expected.update(mebibyte)
        expect(whole).toEqual({ bytes: head.length + LARGE * MIB, sha256: expected.digest('hex') })
        expect((levelOf(samples) - before) / MIB).toBeLessThan(50)

        const url = await ordered(dev, large)
        const sent = door.bytes
        await glance(url)
        let last = -1
        const isQuiet = () => {
          const same = door.bytes === last
          last = door.bytes
          return same
        }
        await eventually(kept ? isQuiet : () => door.open === 0, 2000, 100)
        expect((door.bytes - sent) / MIB).toBeLessThan(64)
      } finally {
        await dev.stop()
        door.close()
        await close()
      }
    },
  )
