import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Buyer } from '../../../provider/test/purchases/buyer.js'
import { PURCHASE_LIMITS } from '../../../purchases/src/limits.js'
import { CONTENT, SHA256, useScripts } from './scripts.js'

describe('get --pay-with', () => {
  const scripts = useScripts({ HOSTING: 'off', PURCHASES: 'on' })
  const { at, published, refusal, run } = scripts
  const { interval } = PURCHASE_LIMITS.cashier
  let did: string
  beforeAll(async () => {
    PURCHASE_LIMITS.cashier.interval = 50
    did = await published('--price', '2.5:USDC')
  })
  afterAll(() => {
    PURCHASE_LIMITS.cashier.interval = interval
  })

  /** A keystore of an account with USDC and no coin, and the settings that open it. */
  async function accountWith(usdc: string) {
    const buyer = await Buyer.with(scripts.world, usdc)
    const folder = at(buyer.address)
    mkdirSync(folder)
    const keystore = join(folder, 'wallet.json')
    writeFileSync(keystore, await buyer.wallet.encrypt('a long password', { scrypt: { N: 1024 } }))
    writeFileSync(join(folder, 'password'), 'a long password\n')
    const environment = { TIDEGATE_PASSWORD_FILE: join(folder, 'password') }
    return { buyer, folder, args: ['--keystore', keystore], environment }
  }

  it('downloads with an order that the provider makes, for an account without coins', async () => {
    const { buyer, folder, args, environment } = await accountWith('10')
    const output = join(folder, 'tides.csv')
    const paying = ['get', did, '-o', output, '--pay-with', 'USDC', '--max-price', '2.555:USDC', ...args]
    const unsure = await refusal(paying, environment)
    expect(unsure).toMatchObject({ status: 3, error: { code: 'NOT_CONFIRMED' } })
    expect(unsure.error.message).toContain('--pay-with USDC')
    expect(unsure.stderr).toContain('2.555 USDC, of which 0.05 USDC for gas; no coins of the chain needed')
    const { status, stdout, stderr } = await run([...paying, '--yes', '--json'], environment)
    expect(status, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ did, bought: true, transactions: [], sha256: SHA256 })
    expect(readFileSync(output)).toEqual(CONTENT)
    expect(await buyer.balance()).toBe(10_000_000n - 2_555_000n)
    expect((await scripts.world.provider.getBalance(buyer.address)).toString()).toBe('0')
    // its outcome is known
    expect(readdirSync(join(at('state'), 'tidegate', 'payments'))).toEqual([])
    const again = await run(['buy', did, '--pay-with', 'USDC', ...args, '--yes', '--json'], environment)
    expect(JSON.parse(again.stdout)).toMatchObject({ reused: true, order: JSON.parse(stdout).order })
    expect(await buyer.balance()).toBe(10_000_000n - 2_555_000n)
  })

  it('is part of buy as well', async () => {
    const { buyer, args, environment } = await accountWith('10')
    const { addresses } = scripts.world.network
    const paying = ['buy', did, '--pay-with', addresses.MockUSDC as string, ...args, '--yes', '--json']
    const { status, stdout, stderr } = await run(paying, environment)
    expect(status, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ did, reused: false, paid: [{ symbol: 'USDC', amount: '2.555' }] })
    expect(await buyer.balance()).toBe(10_000_000n - 2_555_000n)
  })

  it('pays nothing that is not offered, allowed or held', async () => {
    const { buyer, args, environment } = await accountWith('10')
    const free = await published('--free')
    const refused = (of: string, payWith: string, ...more: string[]) =>
      refusal(['get', of, '-o', at('none.csv'), '--pay-with', payWith, '--yes', ...args, ...more], environment)
    expect((await refused(did, 'OCEAN')).error).toMatchObject({
      code: 'OTHER_TOKEN',
      message: expect.stringMatching(/takes 2\.555 USDC \(token 0x\w{40}\), and not OCEAN/),
    })
    expect((await refused(did, 'NONE')).error).toMatchObject({ code: 'UNKNOWN_TOKEN' })
    expect((await refused(free, 'USDC')).error).toMatchObject({
      code: 'NOT_OFFERED',
      message: expect.stringContaining('without --pay-with'),
    })
    expect((await refused(did, 'USDC', '--max-price', '2.554')).error).toMatchObject({ code: 'PRICE_TOO_HIGH' })
    const other = ['buy', did, '--pay-with', 'USDC', '--consumer', buyer.address, ...args]
    expect(await refusal(other, environment)).toMatchObject({ status: 2, error: { code: 'USAGE' } })
    const poor = await accountWith('1')
    const paying = ['get', did, '-o', at('none.csv'), '--pay-with', 'USDC', '--yes', ...poor.args]
    expect((await refusal(paying, poor.environment)).error).toMatchObject({ code: 'INSUFFICIENT_TOKENS' })
    expect([existsSync(at('none.csv')), await buyer.balance()]).toEqual([false, 10_000_000n])
  })
})
