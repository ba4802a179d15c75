import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { balancedNode } from '../../../../test/helpers/balanced-node.js'
import { CONTENT, SHA256, useScripts } from './scripts.js'

describe('commands at an address that balances over nodes of different moments', () => {
  const scripts = useScripts({})

  it('publish, buy, download, change, revoke and restore', async () => {
    const lags = [0, 2_000]
    const balance = { lags: { blocks: lags, logs: lags, state: lags, receipts: lags }, repeats: 0.5, seed: 1 }
    const node = await balancedNode(scripts.world.network.rpcUrl, balance)
    const by = (account: number, ...args: string[]) =>
      scripts.answer(...args, '--account', `${account}`, '--yes', '--rpc', node.url)
    const [, , member, another] = scripts.world.network.accounts.map(({ address }) => address) as string[]

    const { list } = await by(1, 'list', 'create', '--name', 'Harbours', member as string)
    expect(await by(1, 'list', 'add', list, another as string)).toMatchObject({ changed: [another] })
    expect(await by(1, 'list', 'remove', list, another as string)).toMatchObject({ changed: [another] })
    const shown = await scripts.answer('list', 'show', list, '--rpc', node.url)
    expect(shown).toMatchObject({ members: [member] })

    const source = scripts.at('source.csv')
    writeFileSync(source, CONTENT)
    const { did } = await by(1, 'publish', source, '--name', 'Tide tables', '--price', '5', '--allow-list', list)
    const { order, reused, transactions } = await by(2, 'buy', did)
    expect({ reused, sent: transactions.length }).toEqual({ reused: false, sent: 2 })
    const output = scripts.at('tides.csv')
    const got = await by(2, 'get', did, '--output', output)
    expect(got).toMatchObject({ sha256: SHA256 })
    expect(readFileSync(output)).toEqual(CONTENT)
    expect(await by(2, 'buy', did)).toMatchObject({ order, reused: true, paid: [] })

    expect(await by(1, 'update', did, '--price', '6', '--tag', 'tides')).toMatchObject({ changed: ['tags', 'price'] })
    expect(await by(1, 'revoke', did)).toMatchObject({ state: 'revoked', transactions: [expect.any(String)] })
    expect(await by(1, 'restore', did)).toMatchObject({ state: 'active', transactions: [expect.any(String)] })
    const orders = await scripts.answer('orders', '--account', '2', '--rpc', node.url)
    expect(orders.orders.filter((one: { did: string }) => one.did === did)).toMatchObject([{ tx: order }])
  })
})
