import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import secp256k1 from 'secp256k1'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { SignerRecovery } from '../../src/auth/recovery.js'
import { providerKey, recoverAddress, signDigest } from '../../src/crypto/keys.js'

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

describe('recovery of signers', () => {
  const open: SignerRecovery[] = []
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  afterEach(async () => {
    vi.restoreAllMocks()
    for (const one of open.splice(0)) await one.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const recovery = (options: Partial<ConstructorParameters<typeof SignerRecovery>[0]> = {}) => {
    const one = new SignerRecovery({ thread: true, isSingle: () => false, ...options })
    open.push(one)
    return one
  }
  const all = (from: SignerRecovery, checks: ReturnType<typeof check>[]) =>
    Promise.all(checks.map(({ digest, signature }) => from.recover(digest, signature)))
  const checks = (count: number) => Array.from({ length: count }, (_, at) => check(at))
  const signers = (all: ReturnType<typeof check>[]) => all.map(({ signer }) => signer)

  it('gives the same answers in a thread, in any number, and none on the event loop', async () => {
    const own = recovery()
    for (const count of [2, 7, 256]) {
      const wanted = checks(count)
      const here = vi.spyOn(secp256k1, 'ecdsaRecover')
      expect(await all(own, wanted)).toEqual(signers(wanted))
      expect(here).not.toHaveBeenCalled()
      here.mockRestore()
    }
  })

  it('gives one that comes alone to the thread as well while that is at work, so that it overtakes nobody', async () => {
    const own = recovery()
    const [first, last] = [checks(20), checks(1)]
    const order: string[] = []
    const done = all(own, first).then(() => order.push('first'))
    await new Promise(setImmediate)
    const here = vi.spyOn(secp256k1, 'ecdsaRecover')
    const alone = all(own, last).then((answers) => {
      order.push('last')
      expect(answers).toEqual(signers(last))
    })
    await Promise.all([done, alone])
    expect(order).toEqual(['first', 'last'])
    expect(here).not.toHaveBeenCalled()
  })

  it.each([
    ['of a single connection', { isSingle: () => true }, 12],
    ['where no core is free for a thread', { thread: false }, 12],
    ['that comes alone', {}, 1],
    ['beyond what the thread may have before it', {}, 260],
  ])('checks one %s on the event loop', async (_, options, count) => {
    const wanted = checks(count)
    const here = vi.spyOn(secp256k1, 'ecdsaRecover')
    expect(await all(recovery(options), wanted)).toEqual(signers(wanted))
    expect(here).toHaveBeenCalled()
  })

  it.each([
    ['cannot be started', 'throw new Error("no")'],
    [
      'ends with work before it',
      'import { parentPort } from "node:worker_threads"; parentPort.once("message", () => process.exit(3))',
    ],
  ])('loses nothing where the thread %s, and does without it for a while', async (_, program) => {
    const entry = join(mkdtempSync(`${folder}-`), 'thread.mjs')
    writeFileSync(entry, program)
    const own = recovery({ entry: pathToFileURL(entry) })
    const wanted = checks(10)
    expect(await all(own, wanted)).toEqual(signers(wanted))
    const here = vi.spyOn(secp256k1, 'ecdsaRecover')
    expect(await all(own, wanted)).toEqual(signers(wanted))
    expect(here).toHaveBeenCalled()
  })

  it('answers what it has before it closes, and later ones on the event loop', async () => {
    const own = recovery()
    const wanted = checks(20)
    const answers = all(own, wanted)
    await new Promise(setImmediate)
    await own.close()
    expect(await answers).toEqual(signers(wanted))
    expect(await all(own, wanted)).toEqual(signers(wanted))
  })
})
