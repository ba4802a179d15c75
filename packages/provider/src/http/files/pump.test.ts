import { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyReply } from 'fastify'
import { expect, test } from 'vitest'
import { PROVIDER_LIMITS } from '../../limits.js'
import { Lifetime } from '../lifetime.js'
import { pump } from './pump.js'

const SLICES = 32
const SIZE = SLICES * PROVIDER_LIMITS.bytes.slice

/** Pumps a file that is always there to a client that always takes it; returns the bytes sent, and the turns of others. */
async function pumped(chunk: number): Promise<{ sent: number; turns: number }> {
  let left = SIZE
  const body = new Readable({
    read() {
      const next = Buffer.alloc(Math.min(chunk, left))
      left -= next.length
      this.push(next.length > 0 ? next : null)
    },
  })
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
  const opened = { status: 200 as const, headers: { 'content-length': String(SIZE) }, body }
  pump(opened, { raw, request: { lifetime: new Lifetime() } } as unknown as FastifyReply)
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
