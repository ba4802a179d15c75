import { spawnSync } from 'node:child_process'
import { createWriteStream, openSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import type { OpenedFile, StoredFile } from '@tidegate/storage'
import { describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { program } from '../../../../test/helpers/deploy-tools.js'
import { openArchive } from '../../src/http/files/archive.js'

const MEBIBYTE = Buffer.alloc(1_048_576, 'tide')
const READER = fileURLToPath(new URL('archive-readers/ReadStream.java', import.meta.url))
/** Java reads the archive as a stream, from standard input. */
const TESTS = { unzip: ['-tqq'], python3: ['-m', 'zipfile', '-t'], '7z': ['t', '-bso0'], java: [READER] }

/** Archives beyond the limits of ZIP without its 64-bit form, read by four tools. */
describe('a large archive', { timeout: 600_000 }, () => {
  const folder = newFolder()

  for (const [what, sizes] of Object.entries({
    'of 70,000 files': Array<number>(70_000).fill(0),
    'of a file beyond 4 GiB between others': [1, 4200, 1],
    'of files that are together beyond 4 GiB': [2100, 2100, 1],
  }))
    for (const isTold of [true, false])
      it(`${what}, of ${isTold ? 'known' : 'unknown'} lengths`, async () => {
        const files = sizes.map((_, at) => ({ type: 'url', publicName: `${at % 100}/${at}` }) as StoredFile)
        const open = async (at: number): Promise<OpenedFile> => {
          const size = sizes[at] as number
          const headers = isTold ? { 'content-length': String(size * MEBIBYTE.length) } : {}
          return { status: 200, headers, body: Readable.from(Array<Buffer>(size).fill(MEBIBYTE)) }
        }
        const path = join(folder, 'large.zip')
        const { body } = await openArchive({ files, open, modified: new Date(), name: 'large.zip' })
        await pipeline(body, createWriteStream(path))
        for (const [tool, options] of Object.entries(TESTS)) {
          const { status, stderr } = spawnSync(program(tool) ?? tool, [...options, path], {
            ...{ encoding: 'utf8', stdio: [openSync(path, 'r'), 'ignore', 'pipe'] },
          })
          expect([status, stderr], tool).toEqual([0, ''])
        }
      })
})
