import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Authorization, createContext, type Quote } from '@tidegate/client'
import { formatUnits } from 'viem'
import { afterAll, describe, expect, it } from 'vitest'
import { DaySpending } from './day-spending.js'
import { Spending } from './spending.js'
import { safeName } from './tools.js'

const TOKEN = `0x${'aB'.repeat(20)}` as const
const OTHER = `0x${'cd'.repeat(20)}` as const
const context = createContext({ url: 'http://localhost' })

function quoteOf(units: bigint, token: typeof TOKEN | typeof OTHER = TOKEN, decimals = 18): Quote {
  const amount = { token, symbol: 'OCEAN', decimals, units, amount: formatUnits(units, decimals) }
  return { chainId: 8996, price: { type: 'fixed', total: [amount] } } as unknown as Quote
}
const limit = (amount: string, token: string = TOKEN) => ({ amount, token: token.toLowerCase() })
const REFUSED = { code: 'SPENDING_LIMIT' }

describe('the limits of a session', () => {
  it('count tokens by address, whatever they call themselves (threat 115)', async () => {
    const spending = new Spending([limit('5')], [])
    await expect(spending.reserve(context, quoteOf(1n, OTHER))).rejects.toMatchObject(REFUSED)
    await spending.reserve(context, quoteOf(5n * 10n ** 18n))
    await expect(spending.reserve(context, quoteOf(1n))).rejects.toMatchObject(REFUSED)
    await expect(new Spending([], []).reserve(context, quoteOf(1n))).rejects.toMatchObject(REFUSED)
    await new Spending([], []).reserve(context, quoteOf(0n))
  })

  it('are exact, also with more decimals than the token has', async () => {
    const spending = new Spending([limit('0.000000000000000001999999999999')], [])
    await expect(spending.reserve(context, quoteOf(2n))).rejects.toMatchObject(REFUSED)
    await spending.reserve(context, quoteOf(1n))
    const dollars = new Spending([limit('0.0000019')], [])
    await expect(dollars.reserve(context, quoteOf(2n, TOKEN, 6))).rejects.toMatchObject(REFUSED)
    await dollars.reserve(context, quoteOf(1n, TOKEN, 6))
    expect(dollars.spent()).toEqual([{ token: TOKEN.toLowerCase(), amount: '0.000001' }])
    const large = new Spending([limit('9'.repeat(60))], [limit('3')])
    await expect(large.reserve(context, quoteOf(3n * 10n ** 18n + 1n))).rejects.toMatchObject(REFUSED)
  })

  it('hold for purchases at the same time together, and again after a failure', async () => {
    const spending = new Spending([limit('5'), limit('4')], [limit('2')])
    const two = quoteOf(2n * 10n ** 18n)
    const made = await Promise.allSettled(Array.from({ length: 50 }, () => spending.reserve(context, two)))
    const reserved = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(reserved).toHaveLength(2)
    reserved[0]?.release()
    reserved[0]?.release()
    await spending.reserve(context, two)
    await expect(spending.reserve(context, two)).rejects.toMatchObject(REFUSED)
  })
})

describe('the limits of a day', () => {
  const folder = mkdtempSync(join(tmpdir(), 'spending-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  let now = new Date('2026-11-28T23:00:00Z')
  /** A session with an account, which spends at most 5 a day. */
  const session = (account: string = OTHER, limits = [limit('5')]) =>
    new Spending([], [], { limits, spending: new DaySpending(folder, account, () => now) })
  const units = (count: bigint) => quoteOf(count * 10n ** 18n)
  const UNKNOWN = { code: 'SPENDING_UNKNOWN' }

  it('hold over all sessions of an account, until the next day', async () => {
    const first = await session().reserve(context, units(3n))
    await session().reserve(context, units(2n))
    await expect(session().reserve(context, quoteOf(1n))).rejects.toMatchObject({
      ...REFUSED,
      message: expect.stringContaining('--max-day 5 today'),
    })
    await session(TOKEN).reserve(context, units(5n))
    first.release()
    first.release()
    await session().reserve(context, units(3n))
    await expect(session().reserve(context, quoteOf(1n))).rejects.toMatchObject(REFUSED)
    await expect(session(OTHER, []).reserve(context, quoteOf(1n))).rejects.toMatchObject(REFUSED)
    now = new Date('2026-11-29T00:00:00Z')
    await session().reserve(context, units(5n))
    expect(readdirSync(folder)).toEqual(['2026-11-28.jsonl', '2026-11-29.jsonl'])
    now = new Date('2026-11-30T00:00:00Z')
    await session().reserve(context, units(5n))
    expect(readdirSync(folder)).toEqual(['2026-11-29.jsonl', '2026-11-30.jsonl'])
  })

  it('refuse a purchase if the file cannot be trusted, read or written', async () => {
    const file = join(folder, '2026-12-05.jsonl')
    now = new Date('2026-12-05T00:00:00Z')
    writeFileSync(file, '{"id": "a", "acc')
    await session().reserve(context, quoteOf(1n))
    writeFileSync(file, JSON.stringify({ id: 'a', account: OTHER, due: 7 }))
    await expect(session().reserve(context, quoteOf(1n))).rejects.toMatchObject(UNKNOWN)
    rmSync(file)
    symlinkSync(join(folder, 'other'), file)
    await expect(session().reserve(context, quoteOf(1n))).rejects.toMatchObject(UNKNOWN)
    rmSync(file)
    mkdirSync(file)
    await expect(session().reserve(context, quoteOf(1n))).rejects.toMatchObject(UNKNOWN)
  })
})

describe('a payment by one signature', () => {
  const folder = mkdtempSync(join(tmpdir(), 'payments-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  let now = new Date()
  const at = (text: string) => {
    now = new Date(text)
  }
  const day = () => new DaySpending(folder, OTHER, () => now)
  const session = (spending = day()) => new Spending([], [], { limits: [limit('5')], spending })
  const units = (count: bigint) => quoteOf(count * 10n ** 18n)
  const wish = (purchase: string) => ({ purchase, since: now.getTime() })
  const authorization = (validBefore: string): Authorization => ({
    ...{ chainId: 8996, token: TOKEN, from: OTHER, to: OTHER, nonce: `0x${'12'.repeat(32)}` },
    validBefore: Date.parse(validBefore) / 1000,
  })
  const RUNNING = { code: 'PURCHASE_RUNNING' }

  it('needs a limit of the day, which outlives the session', async () => {
    const unlimited = new Spending([limit('100')], [])
    await expect(unlimited.reserve(context, units(1n), wish('a'))).rejects.toMatchObject(REFUSED)
  })

  it('is the only one for the same purchase while it can be used, in all sessions (threat 129)', async () => {
    at('2026-11-28T10:00:00Z')
    const first = await session().reserve(context, units(1n), wish('a'))
    await expect(session().reserve(context, units(1n), wish('a'))).rejects.toMatchObject(RUNNING)
    await session().reserve(context, units(1n), wish('b'))
    first.signed(authorization('2026-11-28T10:10:00Z'))
    at('2026-11-28T10:09:00Z')
    const later = day()
    await expect(session(later).reserve(context, units(1n), wish('a'))).rejects.toMatchObject(RUNNING)
    await later.update('a', async () => 'open')
    await expect(session(later).reserve(context, units(1n), wish('a'))).rejects.toMatchObject(RUNNING)
    await later.update('a', async () => 'used')
    // the purchase that another session has just made is found before the next one
    const before = { purchase: 'a', since: Date.parse('2026-11-28T09:59:00Z') }
    await expect(session(later).reserve(context, units(1n), before)).rejects.toMatchObject(RUNNING)
    await session(later).reserve(context, units(1n), wish('a'))
    expect(await session().leftToday(context, 8996, { token: TOKEN, decimals: 18 })).toBe('2')
  })

  it('counts until no block can accept it, and on both days around midnight', async () => {
    at('2026-12-01T23:55:00Z')
    const [first, second, third] = ['a', 'b', 'c'].map((one) => session().reserve(context, units(1n), wish(one)))
    ;(await first)?.signed(authorization('2026-12-01T23:59:59Z'))
    ;(await second)?.signed(authorization('2026-12-02T00:05:00Z'))
    await third
    const left = () => session().leftToday(context, 8996, { token: TOKEN, decimals: 18 })
    expect(await left()).toBe('2')
    at('2026-12-02T00:01:00Z')
    expect(await left()).toBe('3')
    await expect(session().reserve(context, units(4n), wish('d'))).rejects.toMatchObject({
      ...REFUSED,
      message: expect.stringContaining('more than the 3 that is left of --max-day 5 today'),
    })
    at('2026-12-02T00:06:00Z')
    const failing = () => Promise.reject(new Error('no node'))
    await day().update('d', failing)
    expect(await left()).toBe('3')
    await day().update('d', async () => 'void')
    expect(await left()).toBe('4')
  })
})

describe('the name of a downloaded file', () => {
  it('stays in the folder, and is no name of a setting or of instructions (threat 116)', () => {
    const did = `did:op:0123456789${'0'.repeat(54)}`
    expect(safeName(did, 'tides 2026.csv')).toBe('01234567-tides 2026.csv')
    for (const name of [
      '../../x',
      '..',
      '.bashrc',
      'CLAUDE.md',
      'C:\\x',
      'a\0b',
      'a/b',
      '\u202egpj.exe',
      `${'é'.repeat(500)}.csv`,
    ]) {
      const safe = safeName(did, name)
      expect(safe).toMatch(/^01234567-[^/\\:\0\u202e]+$/u)
      expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(255)
    }
  })
})
