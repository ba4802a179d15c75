import { formatUnits } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { buildHere, runHere } from '../../../../test/helpers/command-here.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { withLimits } from '../../../../test/helpers/limits.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { PURCHASE_LIMITS } from '../../../purchases/src/limits.js'
import { Buyer } from './buyer.js'

describe('what operators see of purchases', () => {
  let world: World
  let asset: Published
  let settings: Record<string, string>

  withLimits(PURCHASE_LIMITS, (limits) => {
    limits.cashier.interval = 50
  })
  beforeAll(async () => {
    world = await World.start({ PURCHASES: 'on', METRICS_PORT: '0' })
    const url = world.storage.file('/tides.csv', Buffer.from('tides'))
    const pricing = { fixed: '2.5', token: 'MockUSDC' } as const
    asset = await world.publishUrl(url, { template: 2, pricing })
    const { STATE_DIR, PURCHASE_PRIVATE_KEY } = world.local.app.context.settings
    settings = world.beside({
      ...{ STATE_DIR, PURCHASES: 'on' },
      PURCHASE_PRIVATE_KEY: Buffer.from(PURCHASE_PRIVATE_KEY?.secret as Uint8Array).toString('hex'),
      PURCHASE_TOKENS: JSON.stringify({ [world.network.chainId]: [world.network.addresses.MockUSDC] }),
    })
  })

  const metrics = async () => (await ask(`${world.local.app.metricsUrl}/metrics`)).text

  it('reports where the tokens went, to the last unit, and what waits', async () => {
    const buyer = await Buyer.with(world, '10')
    const { amount, payTo } = await buyer.terms(asset)
    expect((await buyer.fetch(buyer.url(asset))).status).toBe(200)
    const json = await runHere(['report', '--purchases', '--json'], settings)
    expect(JSON.parse(json.stdout)).toEqual([
      {
        ...{ chainId: world.network.chainId, token: world.network.addresses.MockUSDC, decimals: 6 },
        purchases: { ordered: 1, refunded: 0, failed: 0, waiting: 0 },
        amounts: { paid: amount, spent: `${BigInt(amount) - 50_000n}`, refunded: '0', kept: '50000', held: '0' },
        obstructed: [],
      },
    ])
    expect(await buyer.balance(payTo)).toBe(50_000n)
    const text = await runHere(['report', '--purchases'], settings)
    expect(text.stdout).toContain(`paid ${formatUnits(BigInt(amount), 6)}, `)
    const csv = await runHere(['report', '--purchases', '--csv'], settings)
    expect(csv.stdout.split('\r\n')).toHaveLength(3)
    expect(await metrics()).not.toMatch(/^tidegate_purchases_waiting\{/m)

    await world.rpc('evm_setAutomine', [false])
    const paying = buyer.pay(asset, await buyer.sign(await buyer.price(asset)))
    await eventually(async () => /^tidegate_purchases_waiting\{chain="\d+"\} 1$/m.test(await metrics()))
    expect(await metrics()).toMatch(/^tidegate_purchases_oldest_timestamp_seconds\{chain="\d+"\} \d{10}/m)
    const waiting = await runHere(['report', '--purchases'], settings)
    expect(waiting.stdout).toContain('1 ordered, 0 refunded, 0 failed, 1 waiting')
    await world.rpc('evm_setAutomine', [true])
    await world.rpc('evm_mine')
    expect((await paying).status).toBe(200)
  })

  it('doctor examines the account', async () => {
    const said = async (changed = {}) => (await runHere(['doctor'], { ...settings, ...changed })).stdout
    expect(await said()).toMatch(
      /^ok {4}chain \d+: the purchasing account 0x\w+ has 99\.\d+ coins, enough for the gas of \d+ /m,
    )
    expect(await said()).toMatch(/^ok {4}chain \d+: the purchasing account holds [\d.]+ USDC, and owes 0 to payers$/m)
    const poor = { PURCHASE_PRIVATE_KEY: '77'.repeat(32) }
    expect(await said(poor)).toMatch(/^FAIL {2}chain \d+: .* has 0 coins, enough for the gas of 0 purchase\(s\)$/m)
    const ocean = { PURCHASE_TOKENS: JSON.stringify({ [world.network.chainId]: [world.network.addresses.Ocean] }) }
    expect(await said(ocean)).toMatch(/^FAIL {2}chain \d+: the token 0x\w+ takes no signed payments \(EIP-3009\)$/m)
  })

  it('the service starts neither without key or tokens, nor with the key of a provider', async () => {
    const said = async (changed: Record<string, string>) => (await buildHere({ ...settings, ...changed })).stderr
    expect(await said({ PURCHASE_PRIVATE_KEY: '' })).toContain('PURCHASE_PRIVATE_KEY: is required with PURCHASES=on.')
    expect(await said({ PURCHASE_TOKENS: '' })).toContain('PURCHASE_TOKENS: is required with PURCHASES=on.')
    const STATE_DIR = newFolder()
    const shared = { STATE_DIR, PURCHASE_PRIVATE_KEY: settings.PROVIDER_PRIVATE_KEY as string }
    expect(await said(shared)).toContain('PURCHASE_PRIVATE_KEY: must not be a provider key, as on chain ')
    const elsewhere = { STATE_DIR, PURCHASE_TOKENS: `{"1":["${world.network.addresses.MockUSDC}"]}` }
    expect(await said(elsewhere)).toContain('PURCHASE_TOKENS: chain 1 is not served.')
  })
})
