import { download, TidegateError } from '@tidegate/client'
import type { Hex } from 'viem'
import { safeFileName } from '../../format/shell.js'
import { contextNow } from '../context.js'
import { beginWork } from '../page/busy.js'
import { gate } from '../page/gate.js'
import { hashing } from '../publishing/hashing.js'
import { createStore } from '../store.js'
import { forgetRefused } from './credentials.js'
import { openSink, type Place, type Sink } from './sinks.js'

export interface Wanted {
  did: string
  service: string
  file: number
  order: Hex
  /** Name of the file if the provider has none. */
  name: string
  size?: number
}

export interface Transfer extends Wanted {
  id: number
  received: number
  total?: number
  status: 'starting' | 'running' | 'paused' | 'saving' | 'done' | 'failed'
  error?: unknown
  /** SHA-256 of the received bytes, if it matched the provider's. */
  verified?: string
  resumed: number
}

/** Downloads of this visit through the page. They continue on other pages. */
export const transfers = createStore<Transfer[]>([])

interface Controls {
  gate: ReturnType<typeof gate>
  abort: AbortController
}
const controls = new Map<number, Controls>()
let count = 0
/** Milliseconds between two drawings of progress. */
const DRAWN = 100

/** Starts a download to a place. Bytes in memory go to the browser's download folder. */
export function startTransfer(wanted: Wanted, place: Place): number {
  const id = count++
  const control = { gate: gate(), abort: new AbortController() }
  controls.set(id, control)
  transfers.set((now) => [{ ...wanted, id, received: 0, status: 'starting', resumed: 0 }, ...now])
  void run(id, wanted, place, control)
  return id
}

const set = (id: number, changes: Partial<Transfer>) =>
  transfers.set((now) => now.map((one) => (one.id === id ? { ...one, ...changes } : one)))

async function run(id: number, wanted: Wanted, place: Place, { gate, abort }: Controls): Promise<void> {
  const { did, service, file, order } = wanted
  const { signal } = abort
  const ended = beginWork()
  let sink: Sink | undefined
  try {
    let resumed = 0
    const onProgress = (progress: { resumed: number }) => {
      resumed = progress.resumed
    }
    const found = await download(contextNow(), did, { service, file, order, signal, onProgress })
    const name = safeFileName(found.name || wanted.name, `file-${file}`)
    const { size: total, contentType = '' } = found
    sink = await openSink(place, { name, contentType })
    const hash = found.sha256 === undefined ? undefined : await hashing()
    set(id, { name, status: 'running', ...(total === undefined ? {} : { total }) })
    const reader = found.stream().getReader()
    let received = 0
    let drawn = 0
    for (;;) {
      // reads nothing ahead, and nothing while paused
      await gate.passed(signal)
      const { done, value } = await reader.read()
      if (done) break
      hash?.add(value)
      await sink.write(value)
      received += value.length
      if (performance.now() - drawn < DRAWN) continue
      drawn = performance.now()
      set(id, { received, resumed })
    }
    set(id, { received, resumed, status: 'saving' })
    const verified = hash?.hex()
    if (verified !== found.sha256)
      throw new TidegateError('DIGEST_MISMATCH', 'What was received is not what the provider tells: it was not saved.')
    await sink.finish()
    set(id, { status: 'done', ...(verified ? { verified } : {}) })
  } catch (error) {
    await sink?.discard()
    forgetRefused(error, did, service)
    if (signal.aborted) transfers.set((now) => now.filter((one) => one.id !== id))
    else set(id, { status: 'failed', error })
  } finally {
    ended()
    controls.delete(id)
  }
}

export function pauseTransfer(id: number): void {
  controls.get(id)?.gate.close()
  set(id, { status: 'paused' })
}

export function resumeTransfer(id: number): void {
  set(id, { status: 'running' })
  controls.get(id)?.gate.open()
}

/** Cancels a download, or removes an ended one from the list. */
export function cancelTransfer(id: number): void {
  const control = controls.get(id)
  if (control) control.abort.abort(new DOMException('Cancelled.', 'AbortError'))
  else transfers.set((now) => now.filter((one) => one.id !== id))
}
