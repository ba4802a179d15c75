import { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyReply } from 'fastify'
import { expect, test } from 'vitest'
import { PROVIDER_LIMITS } from '../../limits.js'
import { Lifetime } from '../lifetime.js'
import { pump } from './pump.js'

const SLICES = 32
const SIZE = SLICES * PROVIDER_LIMITS.bytes.slice

/** Returns a file of `SIZE` bytes that is always there. */
function fileIn(chunk: number): Readable {
  let left = SIZE
  return new Readable({
    read() {
      const next = Buffer.alloc(Math.min(chunk, left))
      left -= next.length
      this.push(next.length > 0 ? next : null)
    },
  })
}

function pumpTo(raw: Writable, body: Readable): void {
  const opened = { status: 200 as const, headers: { 'content-length': String(SIZE) }, body }
  pump(opened, { raw, request: { lifetime: new Lifetime() } } as unknown as FastifyReply)
}

/** Pumps a file that is always there to a client that always takes it; returns the bytes sent, and the turns of others. */
async function pumped(chunk: number): Promise<{ sent: number; turns: number }> {
  let sent = 0
  const raw = new Writable({
    write(bytes: Buffer, _encoding, done) {
      sent += bytes.length
      done()
    },
  })
  let turns = 0
  let over = false
  const turn = () => {
    turns += 1
    if (!over) setImmediate(turn)
  }
  setImmediate(turn)
  pumpTo(raw, fileIn(chunk))
  await finished(raw)
  over = true
  return { sent, turns }
}

test.each([
  ['large chunks, each of which fills the buffer of the connection', 65_536],
  ['small chunks, which fill no buffer', 1024],
])('others have their turn after every slice of a transfer: %s', async (_, chunk) => {
  const { sent, turns } = await pumped(chunk)
  expect(sent).toBe(SIZE)
  expect(turns).toBeGreaterThanOrEqual(SLICES - 1)
})

test.each([
  ['a client that takes each chunk at once', (done: () => void) => done(), true],
  ['a client that takes none at once', (done: () => void) => setImmediate(done), false],
])('the storage is read ahead only for fast clients: %s', async (_, take, isFast) => {
  const body = fileIn(16_384)
  const isPaused: boolean[] = []
  pumpTo(new Writable({ write: (_bytes, _encoding, done) => take(done) }), body)
  body.on('data', () => isPaused.push(body.isPaused()))
  await finished(body)
  expect(isPaused.slice(0, PROVIDER_LIMITS.bytes.quickWrites)).not.toContain(false)
  expect(isPaused.includes(false)).toBe(isFast)
})
