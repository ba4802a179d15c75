import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { Transfer } from './transfer.js'

const ZIP = new Uint8Array(zipSync({ 'a/x.csv': new Uint8Array(100) }))
const MOST = 1_000_000

function archiveOf(body: BodyInit, headers: Record<string, string> = {}): Transfer {
  const open = async () => new Response(body, { headers })
  return new Transfer({ open, file: 0, archive: true, maxSize: MOST })
}

async function read(transfer: Transfer): Promise<number> {
  for (let piece = await transfer.next(); piece; ) piece = await transfer.next()
  return transfer.position
}

describe('an archive of a provider that', () => {
  it('is honest is read to its end', async () => {
    expect(await read(archiveOf(ZIP))).toBe(ZIP.length)
  })

  it.each([
    ['cuts it off', ZIP.subarray(0, -1)],
    ['lacks its end record', ZIP.subarray(0, -22)],
    ['sends bytes after it', new Uint8Array([...ZIP, 0])],
  ])('%s fails, whatever length it tells', async (_, bytes) => {
    for (const headers of [{}, { 'content-length': `${bytes.length}` }])
      await expect(read(archiveOf(bytes, headers))).rejects.toMatchObject({ code: 'BROKEN_OFF' })
  })

  it('never ends stops at the largest size', async () => {
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) })
    await expect(read(archiveOf(endless))).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' })
  })
})
