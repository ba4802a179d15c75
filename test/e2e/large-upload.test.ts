import { createHash } from 'node:crypto'
import { createTidegate, type UploadSource } from '@tidegate/client'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import { MIB } from '../helpers/big-files.js'
import type { DevProcess } from '../helpers/dev.js'
import { eventually } from '../helpers/eventually.js'
import { memoryOf } from '../helpers/measures.js'
import { startAlone } from '../helpers/service-alone.js'
import { sized } from '../helpers/sizes.js'

const SIZE = sized(96, 2048) * MIB
/** MiB that the service may need more than for a small file: less than buffering all of it takes, or a tenth of a large one. */
const MORE = sized(80, 150)

/** A mebibyte of a file, with its number in front. */
function mebibyte(number: number): Buffer {
  const bytes = Buffer.alloc(MIB, 'tide')
  bytes.writeUInt32BE(number)
  return bytes
}

/** A file that is made as it is read. */
function source(size: number): UploadSource {
  const slice = (start: number, end: number) => ({
    async arrayBuffer() {
      const [first, last] = [Math.floor(start / MIB), Math.ceil(end / MIB)]
      const all = Buffer.concat(Array.from({ length: last - first }, (_, at) => mebibyte(first + at)))
      return new Uint8Array(all.subarray(start - first * MIB, end - first * MIB)).buffer
    },
  })
  return { size, name: 'tides.bin', type: 'application/octet-stream', slice }
}

function sha256(size: number): string {
  const hash = createHash('sha256')
  for (let number = 0; number < size / MIB; number++) hash.update(mebibyte(number))
  return hash.digest('hex')
}

describe.runIf(process.platform === 'linux')(`a hosted file of ${SIZE / MIB} MiB`, () => {
  let dev: DevProcess
  beforeAll(async () => {
    dev = await startAlone()
  })

  const clientOf = (at: number) => {
    const { providerUrl: url, rpcUrl, accounts } = dev.facts
    const account = privateKeyToAccount(accounts[at]?.privateKey as `0x${string}`)
    return createTidegate({ url, wallet: createWalletClient({ account, transport: http(rpcUrl) }) })
  }

  it('resumes after a half, and is stored and streamed in bounded memory', { timeout: 900_000 }, async () => {
    const [publisher, buyer] = [clientOf(0), clientOf(1)]
    const pid = dev.process.pid as number
    let peak = 0
    const watch = () => {
      peak = Math.max(peak, memoryOf(pid))
    }
    await publisher.upload(source(16 * MIB), { onProgress: watch })
    const before = peak

    const stop = new AbortController()
    let id = ''
    const half = publisher.upload(source(SIZE), {
      signal: stop.signal,
      onBegun: (begun) => {
        id = begun
      },
      onProgress: ({ sent }) => {
        watch()
        if (sent >= SIZE / 2) stop.abort(new Error('the line is cut'))
      },
    })
    await expect(half).rejects.toThrow('the line is cut')
    const offsets: number[] = []
    const onProgress = ({ sent }: { sent: number }) => {
      watch()
      offsets.push(sent)
    }
    const { object, sha256: stored } = await publisher.upload(source(SIZE), { resume: id, onProgress })
    expect(offsets[0]).toBeGreaterThan(SIZE / 2)
    expect(stored).toBe(sha256(SIZE))

    const { did } = await publisher.publish({ files: [object], name: 'Tides', price: 'free' })
    await eventually(() => buyer.asset(did).then(Boolean, () => false))
    await buyer.buy(did)
    const download = await buyer.download(did)
    expect(download.size).toBe(SIZE)
    const hash = createHash('sha256')
    for await (const chunk of download.stream() as unknown as AsyncIterable<Uint8Array>) {
      watch()
      hash.update(chunk)
    }
    expect(hash.digest('hex')).toBe(stored)
    expect(peak - before).toBeLessThan(MORE)
    console.log(
      `the service took at most ${Math.round(peak)} MiB, ${Math.round(peak - before)} more than for a small file`,
    )
  })
})
