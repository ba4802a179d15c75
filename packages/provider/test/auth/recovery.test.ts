import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import secp256k1 from 'secp256k1'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { providerKey, recoverAddress, signDigest } from '../../../protocol/src/crypto/keys.js'
import { SignerRecovery } from '../../src/auth/recovery.js'

const KEYS = Array.from({ length: 5 }, (_, at) => providerKey(`${at + 1}`.padStart(64, '0')))

/** A digest, and a signature of it: of one of the keys, or broken in one of several ways. */
function check(at: number) {
  const digest = randomBytes(32)
  const { r, s, v } = signDigest(digest, KEYS[at % KEYS.length] as (typeof KEYS)[0])
  const good = Buffer.from(r.slice(2) + s.slice(2) + (v - (at % 2 ? 27 : 0)).toString(16).padStart(2, '0'), 'hex')
  const broken = [
    good,
    good,
    Buffer.concat([good.subarray(0, 64), Buffer.of(29)]),
    Buffer.concat([Buffer.alloc(64), Buffer.of(27)]),
    Buffer.concat([good.subarray(0, 32), Buffer.alloc(32, 0xff), Buffer.of(28)]),
    randomBytes(65),
  ]
  const signature = broken[at % broken.length] as Buffer
  return { digest, signature, signer: recoverAddress(digest, signature)?.toLowerCase() }
}

/** A thread that finds no signer, and has a batch of more than two until the next one comes. */
const HOLDS_LONG_BATCHES = `import { parentPort } from 'node:worker_threads'
const held = []
parentPort.on('message', (batch) => {
  if (!batch) return parentPort.close()
  const { id, checks } = batch
  held.push({ id, results: new Uint8Array((checks.length / 97) * 20) })
  if (checks.length / 97 <= 2) for (const answer of held.splice(0)) parentPort.postMessage(answer)
})
parentPort.postMessage('ready')
`

/** A thread whose answer for a digest is its first 20 bytes. It answers, each batch twice, and ends when the test says so. */
const ENDS_WHEN_TOLD = `import { BroadcastChannel, parentPort, threadId } from 'node:worker_threads'
const control = new BroadcastChannel('recovery test')
let held = []
control.onmessage = ({ data: { to, say } }) => {
  if (to !== threadId) return
  if (say === 'answer') for (const answer of [...held, ...held.splice(0)]) parentPort.postMessage(answer)
  if (say === 'end') process.exit()
}
process.on('exit', () => control.postMessage({ from: threadId, got: 'ended' }))
parentPort.on('message', (batch) => {
  control.postMessage({ from: threadId, got: batch ? 'batch' : 'end' })
  if (!batch) return
  const results = new Uint8Array((batch.checks.length / 97) * 20)
  for (let at = 0; at * 20 < results.length; at++) results.set(batch.checks.subarray(at * 97, at * 97 + 20), at * 20)
  held.push({ id: batch.id, results })
})
parentPort.postMessage('ready')
`

describe('recovery of signers', () => {
  const open: SignerRecovery[] = []
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  afterEach(async () => {
    vi.restoreAllMocks()
    for (const one of open.splice(0)) await one.close()
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const recovery = (options: Partial<ConstructorParameters<typeof SignerRecovery>[0]> = {}) => {
    const one = new SignerRecovery({ thread: true, isSingle: () => false, ...options })
    open.push(one)
    return one
  }
  /** With its thread ready: it starts with the first signatures that come together. */
  const ready = async () => {
    const own = recovery()
    const here = vi.spyOn(secp256k1, 'ecdsaRecover')
    await eventually(async () => {
      const wanted = checks(2)
      here.mockClear()
      expect(await all(own, wanted)).toEqual(signers(wanted))
      return here.mock.calls.length === 0
    })
    here.mockRestore()
    return own
  }
  const all = (from: SignerRecovery, checks: ReturnType<typeof check>[]) =>
    Promise.all(checks.map(({ digest, signature }) => from.recover(digest, signature)))
  const checks = (count: number) => Array.from({ length: count }, (_, at) => check(at))
  const signers = (all: ReturnType<typeof check>[]) => all.map(({ signer }) => signer)

  it('gives the same answers in a thread, in any number, and none on the event loop', async () => {
    const own = await ready()
    for (const count of [2, 7, 256]) {
      const wanted = checks(count)
      const here = vi.spyOn(secp256k1, 'ecdsaRecover')
      expect(await all(own, wanted)).toEqual(signers(wanted))
      expect(here).not.toHaveBeenCalled()
      here.mockRestore()
    }
  })

  it('gives one that comes alone to the thread as well while that is at work, so that it overtakes nobody', async () => {
    const entry = join(folder, 'slow.mjs')
    writeFileSync(entry, HOLDS_LONG_BATCHES)
    const own = recovery({ entry: pathToFileURL(entry) })
    const [two, many, one] = [checks(2), checks(20), checks(1)]
    const here = vi.spyOn(secp256k1, 'ecdsaRecover')
    await eventually(async () => {
      here.mockClear()
      await all(own, two)
      return here.mock.calls.length === 0
    })
    const order: string[] = []
    const done = all(own, many).then(() => order.push('first'))
    await new Promise(setImmediate)
    const alone = all(own, one).then(() => order.push('last'))
    await Promise.all([done, alone])
    expect(order).toEqual(['first', 'last'])
    expect(here).not.toHaveBeenCalled()
  })

  it.each([
    ['of a single connection', { isSingle: () => true }, 12],
    ['where no core is free for a thread', { thread: false }, 12],
    ['that comes alone', {}, 1],
    ['that comes while the thread starts', {}, 12],
  ])('checks one %s on the event loop', async (_, options, count) => {
    const wanted = checks(count)
    const here = vi.spyOn(secp256k1, 'ecdsaRecover')
    expect(await all(recovery(options), wanted)).toEqual(signers(wanted))
    expect(here).toHaveBeenCalled()
  })

  it('checks those beyond what the thread may have before it on the event loop', async () => {
    const own = await ready()
    const wanted = checks(260)
    const here = vi.spyOn(secp256k1, 'ecdsaRecover')
    expect(await all(own, wanted)).toEqual(signers(wanted))
    expect(here.mock.calls.length).toBeLessThanOrEqual(4)
    expect(here).toHaveBeenCalled()
  })

  it('refuses signatures of another length, also in a batch', async () => {
    const own = await ready()
    const [good] = checks(1) as [ReturnType<typeof check>]
    const odd = [Buffer.alloc(0), good.signature.subarray(0, 64), Buffer.concat([good.signature, Buffer.of(0)])]
    const answers = await Promise.all([good.signature, ...odd].map((signature) => own.recover(good.digest, signature)))
    expect(answers).toEqual([good.signer, undefined, undefined, undefined])
  })

  it.each([
    ['cannot be started', 'throw new Error("no")'],
    ['ends with work before it', 'parentPort.once("message", () => process.exit(3)); parentPort.postMessage("ready")'],
  ])('loses nothing where the thread %s, and does without it for a while', async (_, program) => {
    const own = mkdtempSync(join(folder, 'thread-'))
    const [entry, begun] = [join(own, 'thread.mjs'), join(own, 'begun')]
    const first = `import { parentPort } from 'node:worker_threads'; import { appendFileSync } from 'node:fs'`
    const noted = `process.on('exit', () => appendFileSync(${JSON.stringify(begun)}, 'x'))`
    writeFileSync(entry, `${first}\n${noted}\n${program}`)
    const failing = recovery({ entry: pathToFileURL(entry) })
    const wanted = checks(10)
    await eventually(async () => {
      expect(await all(failing, wanted)).toEqual(signers(wanted))
      return existsSync(begun)
    })
    const here = vi.spyOn(secp256k1, 'ecdsaRecover')
    expect(await all(failing, wanted)).toEqual(signers(wanted))
    expect(here).toHaveBeenCalled()
    expect(readFileSync(begun, 'utf8')).toBe('x')
  })

  it('answers what it has before it closes, and later ones on the event loop', async () => {
    const own = await ready()
    const wanted = checks(20)
    const answers = all(own, wanted)
    await new Promise(setImmediate)
    await own.close()
    expect(await answers).toEqual(signers(wanted))
    expect(await all(own, wanted)).toEqual(signers(wanted))
  })

  it('gives no answer and no end of a thread that is being ended to the requests of its successor (threat 95)', async () => {
    const entry = join(folder, 'told.mjs')
    writeFileSync(entry, ENDS_WHEN_TOLD)
    const control = new BroadcastChannel('recovery test')
    const heard: { from: number; got: string }[] = []
    control.onmessage = (event) => heard.push((event as { data: (typeof heard)[0] }).data)
    const who = (got: string, other?: number) => heard.find((one) => one.got === got && one.from !== other)?.from
    const prefixes = (all: ReturnType<typeof check>[]) =>
      all.map(({ digest }) => `0x${digest.subarray(0, 20).toString('hex')}`)
    const own = recovery({ entry: pathToFileURL(entry), idle: 1000 })
    const ask = () => {
      const wanted = checks(2)
      return { wanted, given: all(own, wanted) }
    }
    try {
      await ask().given
      await eventually(() => who('end') !== undefined)
      const first = who('end') as number
      let early = ask()
      await eventually(() => {
        if (who('batch', first) === undefined) early = ask()
        return who('batch', first) !== undefined
      })
      const second = who('batch', first) as number
      control.postMessage({ to: first, say: 'end' })
      await eventually(() => who('ended', second) === first)
      const late = ask()
      await eventually(() => heard.filter(({ from, got }) => from === second && got === 'batch').length >= 2)
      control.postMessage({ to: second, say: 'answer' })
      expect(await late.given).toEqual(prefixes(late.wanted))
      expect(await early.given).toEqual(prefixes(early.wanted))
    } finally {
      for (const { from } of heard) control.postMessage({ to: from, say: 'end' })
      await own.close()
      control.close()
    }
  })
})
