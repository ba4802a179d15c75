import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import secp256k1 from 'secp256k1'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
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

/** A thread whose answer for a digest is its first 20 bytes. It waits with batches of more than two until the next one comes. */
const HOLDS_LONG_BATCHES = `let release = () => undefined
export async function recoverAll(checks) {
  const results = new Uint8Array((checks.length / 97) * 20)
  for (let at = 0; at * 20 < results.length; at++) results.set(checks.subarray(at * 97, at * 97 + 20), at * 20)
  release()
  await new Promise((resolve) => { checks.length / 97 > 2 ? (release = resolve) : setImmediate(resolve) })
  return results
}
export function end() {}
`

describe('recovery of signers', () => {
  const open: SignerRecovery[] = []
  const folder = newFolder()
  afterEach(async () => {
    vi.restoreAllMocks()
    for (const one of open.splice(0)) await one.close()
  })
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
    ['ends with work before it', 'export const recoverAll = () => void setImmediate(() => { throw new Error("no") })'],
  ])('loses nothing where the thread %s, and does without it for a while', async (_, program) => {
    const own = mkdtempSync(join(folder, 'thread-'))
    const [entry, begun] = [join(own, 'thread.mjs'), join(own, 'begun')]
    const first = `import { appendFileSync } from 'node:fs'`
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
})
