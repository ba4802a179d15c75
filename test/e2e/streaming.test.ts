import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BIG_FILES, type BigFiles, MIB } from '../helpers/big-files.js'
import { type DevProcess, startDevOnContracts } from '../helpers/dev.js'
import { AT_ONCE, eventually } from '../helpers/eventually.js'
import { paidAsset } from '../helpers/paid.js'
import { sized } from '../helpers/sizes.js'

/**
 * Sizes of files, in MiB, and how much more memory a transfer of the large one may need: so that buffering even a quarter
 * of the difference fails the test.
 */
const LARGE = sized(176, 4096)
const SMALL = sized(32, 1024)
const MORE = sized(36, 50)
/** A download to warm up with, so that buffers reach their final size before memory is compared; IPFS takes longest. */
const WARM_UP = sized(48, 256)
const SIZES = [WARM_UP, SMALL, LARGE]

/** Resident memory of a process in bytes (Linux reports it in pages of 4 KiB). */
function residentMemory(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096
}

interface Download {
  url: string
  token: string
}

type OnChunk = (chunk: Uint8Array, from: number) => void

/**
 * Downloads all of it, or disconnects after so many bytes, calling `onChunk` on the way. Returns the number of bytes. All chunks
 * share one buffer, since a new one for each takes more than the transfer, as garbage; and without any encoding.
 */
function received({ url, token }: Download, onChunk: OnChunk = () => undefined, most = Infinity): Promise<number> {
  const { hostname: host, port, pathname, search } = new URL(url)
  let head: string | undefined = ''
  let bytes = 0
  return new Promise((resolve, reject) => {
    const callback = (length: number, buffer: Uint8Array) => {
      let from = 0
      if (head !== undefined) {
        const before = head.length
        head += Buffer.from(buffer.subarray(0, length)).toString('latin1')
        const end = head.indexOf('\r\n\r\n')
        if (end === -1) return true
        if (!head.startsWith('HTTP/1.1 200 ')) socket.destroy(new Error(head))
        from = end + 4 - before
        head = undefined
      }
      onChunk(buffer.subarray(from, length), bytes)
      bytes += length - from
      if (bytes >= most) socket.destroy()
      return true
    }
    const socket = connect({ host, port: Number(port), onread: { buffer: Buffer.allocUnsafe(65_536), callback } })
    socket.once('error', reject).once('close', () => resolve(bytes))
    socket.write(`GET ${pathname}${search} HTTP/1.0\r\nHost: ${host}\r\nAuthToken: ${token}\r\n\r\n`)
  })
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

/** One service and its back ends. Each kind is measured against itself, in the order of the list. */
describe.runIf(process.platform === 'linux')('streaming in bounded memory', () => {
  let dev: DevProcess
  let backEnds: Record<string, BigFiles>
  /** The download of a kind's file of one of the sizes. */
  let download: (kind: string, mebibytes: number) => Download

  beforeAll(async () => {
    const started = Object.entries(BIG_FILES).map(async ([kind, start]) => [kind, await start()] as const)
    backEnds = Object.fromEntries(await Promise.all(started))
    dev = await startDevOnContracts([], Object.assign({}, ...Object.values(backEnds).map(({ settings }) => settings)))
    // one asset with all files
    const files: object[] = []
    for (const { file } of Object.values(backEnds)) for (const size of SIZES) files.push(await file(size))
    const { service, token } = await paidAsset(dev, files)
    download = (kind, mebibytes) => {
      backEnds[kind]?.resize?.(mebibytes)
      const fileIndex = Object.keys(backEnds).indexOf(kind) * SIZES.length + SIZES.indexOf(mebibytes)
      const params = new URLSearchParams({ ...service, fileIndex: `${fileIndex}` })
      return { url: `${dev.facts.providerUrl}/api/services/download?${params}`, token }
    }
    // for the process itself, before any kind is measured
    await received(download('url', WARM_UP))
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
  )(`%s: ${LARGE} MiB need less than ${MORE} MiB more memory than ${SMALL} MiB; a disconnect ends the upstream transfer at once`, {
    timeout: 900_000,
  }, async (kind) => {
    const { door, head = '', kept } = backEnds[kind] as BigFiles
    const isExpected = matcher(backEnds[kind] as BigFiles)
    const pid = dev.process.pid as number
    let samples: number[] = []
    const watch = () => void samples.push(residentMemory(pid))
    await received(download(kind, WARM_UP))
    await received(download(kind, SMALL), watch)
    const before = levelOf(samples)
    samples = []
    const large = download(kind, LARGE)
    const wrong: number[] = []
    const bytes = await received(large, (chunk, from) => {
      watch()
      if (!isExpected(chunk, from)) wrong.push(from)
    })
    expect({ bytes, wrong }).toEqual({ bytes: head.length + LARGE * MIB, wrong: [] })

    expect((levelOf(samples) - before) / MIB).toBeLessThan(MORE)

    const sent = door.bytes
    // reads a little, then disconnects
    await received(large, undefined, 4 * MIB)
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
