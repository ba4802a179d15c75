import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { seeded } from '../../../../test/helpers/recorded-disk.js'
import type { Journal } from '../file-backend.js'
import { HOSTING_LIMITS } from '../limits.js'
import { Batches } from './batches.js'
import { LocalWriter } from './local-writer.js'

const { batch, batchMemory, uploadMemory } = HOSTING_LIMITS.hosting
const CHUNK = 65_536
const CONTENT = randomBytes(5_000_000)

describe('LocalWriter', () => {
  let folder: string
  let made = 0
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Creates a writer on a disk that `change` modifies. */
  async function writing(change: (handle: FileHandle) => void, batches = new Batches(), size = CONTENT.length) {
    const path = join(folder, String(made++))
    const handle = await open(path, 'w+')
    change(handle)
    const acknowledged: number[] = []
    const givenUp: Error[] = []
    const acknowledge = async () => void acknowledged.push(written.bytes)
    const journal = { acknowledge, giveUp: (error: Error) => void givenUp.push(error) } as unknown as Journal
    const writer = new LocalWriter(handle, 0, size, batches, journal)
    const written = { bytes: 0 }
    const write = async (bytes: Buffer) => {
      for (let rest = bytes; rest.length > 0; rest = rest.subarray(await writer.write(rest))) {
        // a write may take a part of the chunk
      }
      written.bytes += bytes.length
    }
    return { path, writer, write, written, acknowledged, givenUp }
  }

  it('writes all bytes if the disk writes only parts of a buffer', async () => {
    const random = seeded(3)
    const { path, writer, write, acknowledged } = await writing((handle) => {
      handle.writev = (async (batches: Buffer[], position: number) => {
        const all = Buffer.concat(batches)
        const count = Math.max(1, Math.floor(random() * all.length))
        return handle.write(all, 0, count, position)
      }) as unknown as FileHandle['writev']
    })
    for (let at = 0; at < CONTENT.length; at += CHUNK) await write(CONTENT.subarray(at, at + CHUNK))
    await writer.commit()
    expect(acknowledged).toEqual([CONTENT.length])
    expect(readFileSync(path).equals(CONTENT)).toBe(true)
    await writer.close()
  })

  it('takes no more than its memory while the disk stalls, and less while other uploads use memory', async () => {
    const batches = new Batches()
    const resume: (() => void)[] = []
    const stand = (handle: FileHandle) => {
      const { writev } = handle
      handle.writev = (async (...args: Parameters<typeof writev>) => {
        await new Promise<void>((resolve) => resume.push(resolve))
        handle.writev = writev
        return writev.apply(handle, args)
      }) as unknown as FileHandle['writev']
    }
    const fill = async ({ write }: Awaited<ReturnType<typeof writing>>) => {
      for (let at = 0; at < CONTENT.length; at += CHUNK) await write(CONTENT.subarray(at, at + CHUNK))
    }
    /** Resolves after several turns of the event loop, in which a waiting writer takes no more bytes. */
    const turns = async () => {
      for (let count = 0; count < 1000; count++) await new Promise((resolve) => setImmediate(resolve))
    }
    const early = await Promise.all(Array.from({ length: batchMemory / uploadMemory }, () => writing(stand, batches)))
    const fillings = early.map(fill)
    await eventually(() => early.every(({ written }) => written.bytes === uploadMemory))
    const late = await Promise.all(Array.from({ length: 4 }, () => writing(stand, batches)))
    fillings.push(...late.map(fill))
    await eventually(() => late.every(({ written }) => written.bytes >= 2 * batch))
    await turns()
    expect(early.map(({ written }) => written.bytes)).toEqual(early.map(() => uploadMemory))
    expect(late.map(({ written }) => written.bytes)).toEqual(late.map(() => 2 * batch))
    expect(batches.bytes).toBe(batchMemory + late.length * 2 * batch)
    for (const go of resume) go()
    await Promise.all(fillings)
    for (const { path, writer, acknowledged } of [...early, ...late]) {
      await writer.commit()
      await writer.close()
      expect(acknowledged).toEqual([CONTENT.length])
      expect(readFileSync(path).equals(CONTENT)).toBe(true)
    }
  })

  it.each([
    'writev',
    'sync',
  ] as const)('acknowledges nothing after %s has found no room, and gives its memory back', async (failing) => {
    const batches = new Batches()
    const { writer, write, acknowledged, givenUp } = await writing((handle) => {
      handle[failing] = (async () => {
        throw Object.assign(new Error('no room'), { code: 'ENOSPC' })
      }) as never
    }, batches)
    await write(CONTENT.subarray(0, 300_000))
    // a client that sends nothing more gets the error as well
    if (failing === 'writev') await eventually(() => givenUp.length > 0)
    await expect(writer.commit()).rejects.toMatchObject({ code: 'HOSTING_FULL' })
    await writer.close()
    expect(acknowledged).toEqual([])
    expect(batches.bytes).toBe(0)
  })
})
