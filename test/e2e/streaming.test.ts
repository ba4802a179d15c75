import { readFileSync } from 'node:fs'
import { ethers } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BIG_FILES, type BigFiles, MIB } from '../helpers/big-files.js'
import { acquire, downloadUrl, order, quote } from '../helpers/consume.js'
import { type DevProcess, startDevOnContracts } from '../helpers/dev.js'
import { AT_ONCE, eventually } from '../helpers/eventually.js'
import { publish } from '../helpers/publish.js'
import { served } from '../helpers/requests.js'
import { sized } from '../helpers/sizes.js'

/**
 * Sizes of files, in MiB. A transfer may need 50 MiB more memory for the large one, so that buffering even a fifth of
 * the difference fails the test.
 */
const LARGE = sized(512, 4096)
const SMALL = sized(192, 1024)
/** A download to warm up with, so that buffers reach their final size before memory is compared; IPFS takes longest. */
const WARM_UP = sized(64, 256)

/** Resident memory of a process in bytes (Linux reports it in pages of 4 KiB). */
function residentMemory(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096
}

/** Publishes and orders a file. Returns a signed URL to download it. */
async function ordered({ facts }: DevProcess, file: object): Promise<string> {
  const provider = new ethers.providers.JsonRpcProvider(facts.rpcUrl)
  provider.pollingInterval = 50
  const [publisher, consumer] = [provider.getSigner(1), provider.getSigner(2)]
  const asset = await publish({ network: facts, publisher, files: [file] })
  await served(facts.providerUrl, asset)
  const fee = await quote(facts, asset, await consumer.getAddress())
  await acquire(facts, asset, consumer)
  return downloadUrl(facts, asset, await order(facts, asset, consumer, fee), consumer)
}

/** Downloads all of it, calling `onChunk` on the way. Returns the number of bytes. */
async function received(url: string, onChunk: (chunk: Uint8Array, from: number) => void): Promise<number> {
  let bytes = 0
  for await (const chunk of (await fetch(url)).body as unknown as AsyncIterable<Uint8Array>) {
    onChunk(chunk, bytes)
    bytes += chunk.length
  }
  return bytes
}

/** Whether bytes are those of a file from a position on. A hash of all of it would take longer than the transfer. */
function matcher({ head = '', mebibyte }: BigFiles): (chunk: Uint8Array, from: number) => boolean {
  const begin = Buffer.concat([Buffer.from(head), mebibyte])
  const twice = Buffer.concat([mebibyte, mebibyte])
  return (chunk, from) => {
    for (let at = 0; at < chunk.length; ) {
      const position = from + at
      const expected =
        position < head.length ? begin.subarray(position) : twice.subarray((position - head.length) % MIB)
      const part = chunk.subarray(at, at + MIB)
      const length = Math.min(part.length, expected.length)
      if (Buffer.compare(part.subarray(0, length), expected.subarray(0, length)) !== 0) return false
      at += length
    }
    return true
  }
}

/** The median of the last quarter: the steady state, without the swings of garbage collection. */
function levelOf(samples: number[]): number {
  const last = samples.slice(-Math.ceil(samples.length / 4)).sort((a, b) => a - b)
  return last[Math.floor(last.length / 2)] as number
}

/** Reads a little, then disconnects. */
async function glance(url: string): Promise<void> {
  const reader = (await fetch(url)).body?.getReader()
  for (let bytes = 0; bytes < 4 * MIB; ) bytes += (await reader?.read())?.value?.length ?? 0
  await reader?.cancel()
}

/** One service and its back ends. Each kind is measured against itself, in the order of the list. */
describe.runIf(process.platform === 'linux')('streaming in bounded memory', () => {
  let dev: DevProcess
  let backEnds: Record<string, BigFiles>

  beforeAll(async () => {
    const started = Object.entries(BIG_FILES).map(async ([kind, start]) => [kind, await start()] as const)
    backEnds = Object.fromEntries(await Promise.all(started))
    dev = await startDevOnContracts([], Object.assign({}, ...Object.values(backEnds).map(({ settings }) => settings)))
  })
  afterAll(async () => {
    await dev?.stop()
    for (const { door, close } of Object.values(backEnds ?? {})) {
      door.close()
      await close()
    }
  })

  it.each(
    Object.keys(BIG_FILES),
  )(`%s: ${LARGE} MiB need less than 50 MiB more memory than ${SMALL} MiB; a disconnect ends the upstream transfer at once`, {
    timeout: 900_000,
  }, async (kind) => {
    const { door, file, head = '', kept } = backEnds[kind] as BigFiles
    const isExpected = matcher(backEnds[kind] as BigFiles)
    const pid = dev.process.pid as number
    let samples: number[] = []
    const watch = () => void samples.push(residentMemory(pid))
    await received(await ordered(dev, await file(WARM_UP)), () => undefined)
    await received(await ordered(dev, await file(SMALL)), watch)
    const before = levelOf(samples)
    samples = []
    const large = await file(LARGE)
    const wrong: number[] = []
    const bytes = await received(await ordered(dev, large), (chunk, from) => {
      watch()
      if (!isExpected(chunk, from)) wrong.push(from)
    })
    expect({ bytes, wrong }).toEqual({ bytes: head.length + LARGE * MIB, wrong: [] })
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
    await eventually(kept ? isQuiet : () => door.open === 0, AT_ONCE, 100)
    expect((door.bytes - sent) / MIB).toBeLessThan(64)
  })
})
