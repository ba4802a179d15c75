import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { ethers } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { owned } from '../../../../test/helpers/children.js'
import { program } from '../../../../test/helpers/command.js'
import { acquire, mined, quote } from '../../../../test/helpers/consume.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import { useScripts } from './scripts.js'

describe('the bookkeeping commands', () => {
  const scripts = useScripts()
  const { answer, published, refusal, run } = scripts
  let did: string
  let order: string
  beforeAll(async () => {
    const name = ['--name', '=Tides, "hourly"']
    const made = await answer(
      'publish',
      scripts.url,
      ...name,
      '--price',
      '5',
      '--timeout',
      '30d',
      '--account',
      '1',
      '--yes',
    )
    did = made.did
    order = (await answer('buy', did, '--account', '2', '--yes')).order
    await scripts.world.indexed(order)
  })

  it('list sales with their payments and sums', async () => {
    const sold = await answer('sales', '--account', '1')
    const publisher = { to: 'publisher', amount: { symbol: 'OCEAN', amount: '5', units: '5000000000000000000' } }
    const protocol = { to: 'protocol', amount: { amount: '0.005' } }
    expect(sold).toMatchObject({
      address: scripts.world.network.accounts[1]?.address,
      sales: [{ tx: order, did, source: 'exchange', payments: [publisher, protocol], total: [{ amount: '5.005' }] }],
      totals: [{ did, orders: 1, renewals: 0, income: [{ amount: '5' }], total: [{ amount: '5.005' }] }],
    })
    expect((await answer('sales', did)).sales).toEqual(sold.sales)
    expect(await answer('sales', did, '--until', '2020-01-01')).toMatchObject({ sales: [], totals: [] })
    const { stdout } = await run(['sales', did])
    expect(stdout).toContain(`: 5.005 OCEAN, yours 5 OCEAN\n  transaction ${order}`)
    expect(stdout).toMatch(/\d{4}-\d{2} {2}=Tides, "hourly": 1 ordered\n {2}paid 5.005 OCEAN, yours 5 OCEAN/)
  })

  it('print CSV without formulas', async () => {
    const { status, stdout, stderr } = await run(['sales', did, '--csv'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const [heading, line, ...others] = stdout.trimEnd().split('\n')
    expect(heading).toMatch(/^time,month,asset,did,.*,transaction$/)
    expect(line).toContain(`,"'=Tides, ""hourly""",${did},`)
    expect(line).toContain(`,OCEAN,5,0,0,0.005,0,0,5.005,${order}`)
    expect(others).toEqual([])
  })

  // without its mark elsewhere: the test before
  it('print CSV that Excel reads as UTF-8 to a file', async () => {
    const file = scripts.at('sales.csv')
    const printed = async (to: string) => {
      const args = [process.execPath, ...program(), 'sales', did, '--csv']
      const env = { PATH: process.env.PATH as string, ...scripts.settings() }
      await promisify(execFile)('sh', ['-c', `"$0" "$@" ${to}`, ...args], { env })
      return readFileSync(file, 'utf8')
    }
    const once = await printed(`> ${file}`)
    expect(once).toMatch(/^\ufefftime,month,/)
    // a second table in the file has no mark in its middle
    expect(await printed(`>> ${file}`)).toBe(once + once.slice(1))
  })

  it('show names and payments of orders', async () => {
    const { orders } = await answer('orders', '--account', '2')
    expect(orders).toMatchObject([{ tx: order, name: '=Tides, "hourly"', paid: { total: [{ amount: '5.005' }] } }])
    const { stdout } = await run(['orders', '--account', '2'])
    expect(stdout).toContain(`=Tides, "hourly" (${did})`)
    expect(stdout).toContain(`order ${order}, 5.005 OCEAN`)
  })

  it('show the receipt to buyer and publisher', async () => {
    const receipt = await answer('receipt', order, '--account', '2')
    const [buyer, publisher] = [2, 1].map((at) => scripts.world.network.accounts[at]?.address)
    expect(receipt).toMatchObject({ tx: order, did, consumer: buyer, publisher, total: [{ amount: '5.005' }] })
    expect(Date.parse(receipt.expires) - Date.parse(receipt.time)).toBe(30 * 86_400_000)
    const { stdout } = await run(['receipt', order, '--account', '1'])
    expect(stdout).toMatch(/ {2}Publisher {6}5 OCEAN {3}to 0x/)
    expect(stdout).toMatch(/ {2}Protocol {7}0.005 OCEAN\n {2}Total {10}5.005 OCEAN {3}token 0x/)
  })

  it('show the receipt of each order of a transaction', async () => {
    const { world, url } = scripts
    const { network, provider } = world
    const { chainId, accounts, addresses } = network
    const buyer = new ethers.Wallet(accounts[4]?.privateKey as string, provider)
    const zero = ethers.constants.AddressZero
    const _consumeMarketFee = {
      consumeMarketFeeAddress: zero,
      consumeMarketFeeToken: zero,
      consumeMarketFeeAmount: '0',
    }
    const assets = [await world.publishUrl(url), await world.publishUrl(url)]
    const orders = []
    for (const asset of assets) {
      await acquire(network, asset, buyer)
      const { datatoken: tokenAddress } = asset
      await mined(new ocean.Datatoken(buyer, chainId).approve(tokenAddress, addresses.ERC721Factory, '1'))
      const _providerFee = await quote(network, asset, buyer.address)
      orders.push({ tokenAddress, consumer: buyer.address, serviceIndex: 0, _providerFee, _consumeMarketFee })
    }
    const factory = new ocean.NftFactory(addresses.ERC721Factory as string, buyer, chainId)
    const tx = await mined(factory.startMultipleTokenOrder(orders))
    await world.indexed(tx)
    const receiptOf = (one: string) => ['receipt', one, '--account', '4']
    for (const [at, { did }] of assets.entries()) {
      const place = { number: at + 1, ordersInTransaction: 2 }
      expect(await answer(...receiptOf(`${tx}:${at + 1}`))).toMatchObject({ tx, did, ...place })
    }
    expect((await run(receiptOf(tx))).stdout).toMatch(/ {2}Order {10}\d of 2 of this transaction/)
    const unknown = { code: 'UNKNOWN_ORDER', message: expect.stringContaining('the orders 1 to 2, and no order 3') }
    expect(await refusal(receiptOf(`${tx}:3`))).toMatchObject({ status: 1, error: unknown })
    expect(await refusal(receiptOf(`${tx}:0`))).toMatchObject({ status: 2, error: { code: 'USAGE' } })
  })

  it('refuse with one line that names the field', async () => {
    const cases: [string, string[], number, string, RegExp][] = [
      ['somebody else', ['receipt', order, '--account', '3'], 1, 'NOT_YOUR_ORDER', /^order: 0x.* belongs to/],
      ['an unknown transaction', ['receipt', `0x${'ab'.repeat(32)}`], 1, 'UNKNOWN_TRANSACTION', /^order: chain 8996/],
      ['another network', ['receipt', order, '--chain', '5'], 1, 'UNKNOWN_CHAIN', /^chainId: .* chain 5\./],
      ['no transaction', ['receipt', did], 2, 'USAGE', /<order>|'order'/],
      ['no account', ['sales'], 2, 'USAGE', /no account is named/],
      ['two forms', ['sales', did, '--csv'], 2, 'USAGE', /--csv and --json/],
      [
        'an endless period with an end',
        ['sales', did, '--follow', '--until', '2026-02-01'],
        2,
        'USAGE',
        /--follow and/,
      ],
      ['a day that there is none of', ['sales', did, '--since', '2026-02-31'], 2, 'USAGE', /--since/],
      [
        'a period that ends early',
        ['sales', did, '--since', '2026-02-01', '--until', '2026-01-01'],
        2,
        'USAGE',
        /--until/,
      ],
    ]
    for (const [what, args, status, code, message] of cases)
      expect(await refusal(args), what).toMatchObject({
        status,
        error: { code, message: expect.stringMatching(message) },
      })
    expect((await answer('sales', await published('--free'))).sales).toEqual([])
  })

  it('follow sales: earlier ones, each new one in a line, and the end by ctrl-C or a closed pipe', async () => {
    const args = [...program(), 'sales', did, '--follow', '--json', '--since', '2020-01-01']
    const env = { PATH: process.env.PATH as string, ...scripts.settings() }
    const follow = () => {
      const child = owned(spawn(process.execPath, args, { env, stdio: 'pipe' }))
      const ended = { lines: [] as string[], stderr: '', exited: once(child, 'exit') }
      createInterface({ input: child.stdout }).on('line', (line) => ended.lines.push(line))
      child.stderr.on('data', (text) => {
        ended.stderr += text
      })
      return Object.assign(ended, { child })
    }
    const [reading, closing] = [follow(), follow()]
    await eventually(() => [reading, closing].every(({ lines }) => lines.length === 1))
    closing.child.stdout.destroy()
    const next = (await answer('buy', did, '--account', '3', '--yes')).order
    await eventually(() => reading.lines.length === 2)
    const sold = reading.lines.map((line) => JSON.parse(line))
    expect(sold).toMatchObject([order, next].map((tx) => ({ tx, did, total: [{ amount: '5.005' }] })))
    expect([await closing.exited, closing.stderr]).toEqual([[0, null], ''])
    reading.child.kill('SIGINT')
    expect(await reading.exited).toEqual([130, null])
  })
})
