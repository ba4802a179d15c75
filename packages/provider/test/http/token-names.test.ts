import { type Address, concat, type Hex, numberToHex, stringToHex } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { answering, ENDLESS, placed, zeros } from '../../../../test/helpers/raw-contracts.js'
import { ask } from '../../../../test/helpers/requests.js'
import type { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { World } from '../../../../test/helpers/world.js'
import { TokenNames } from '../../../catalog/src/token-names.js'
import { COMMON_LIMITS } from '../../../common/src/limits.js'

const { tokenName, offers } = COMMON_LIMITS.contract

/** A text as the return data of a contract. */
function textOf(text: string): Hex {
  const bytes = stringToHex(text)
  return concat([numberToHex(32, { size: 32 }), numberToHex((bytes.length - 2) / 2, { size: 32 }), bytes])
}

describe('names of tokens that an asset sells but its NFT did not deploy', () => {
  let world: World
  let proxy: RpcProxy
  let url: string
  beforeAll(async () => {
    ;({ world, proxy } = await World.behindProxy())
    url = world.storage.file('/a.csv', Buffer.from('a'))
  })
  const put = (code: Hex) => placed(world.rpc.bind(world), code)
  const calls = () => proxy.calls.filter((method) => method === 'eth_call').length
  const tokensOf = async (did: string) => {
    const { json } = await ask(`${world.network.providerUrl}/api/aquarius/assets/ddo/${did}`)
    return json as Record<'datatokens', { serviceId: string; name: string; symbol: string }[]> & {
      indexedMetadata: { stats: object[] }
    }
  }

  it('are in its document, whatever the contracts answer', async () => {
    const other = await world.publishUrl(url)
    const tokens: Record<string, string> = {
      other: other.datatoken,
      foreign: world.network.addresses.MockUSDC as string,
      none: `0x${'12'.repeat(20)}`,
      reverts: await put(zeros(32, true)),
      endless: await put(ENDLESS),
      huge: await put(answering(textOf('n'.repeat(5000)))),
      long: await put(answering(textOf(`\u0000\u001b${'n'.repeat(900)}`))),
    }
    const { did } = await world.publish({
      files: [{ type: 'url', url, method: 'GET' }],
      adjust: (ddo) => {
        const [service] = ddo.services
        for (const [id, datatokenAddress] of Object.entries(tokens))
          ddo.services.push({ ...service, id, datatokenAddress } as never)
      },
    })
    const { datatokens, indexedMetadata } = await tokensOf(did)
    const shown = Object.fromEntries(datatokens.map(({ serviceId, name, symbol }) => [serviceId, [name, symbol]]))
    const [first] = (await tokensOf(other.did)).datatokens
    expect(first?.name).not.toBe('')
    expect(shown).toMatchObject({
      other: [first?.name, first?.symbol],
      foreign: [expect.stringMatching(/USDC/), expect.stringMatching(/USDC/)],
      none: ['', ''],
      reverts: ['', ''],
      endless: ['', ''],
      huge: ['', ''],
      long: ['n'.repeat(tokenName), 'n'.repeat(tokenName)],
    })
    expect(indexedMetadata.stats).toMatchObject(
      datatokens.map(({ name, symbol, serviceId }) => ({ name, symbol, serviceId })),
    )
  })

  it('are queried once, a few at a time', async () => {
    const { chains, store } = world.local.app.context
    const names = new TokenNames(chains, store.index, 60_000)
    const contracts: Address[] = []
    for (let at = 0; at <= offers; at++) contracts.push(await put(answering(textOf(`token ${at}`))))
    proxy.forget()
    const first = await names.of(8996, contracts)
    expect([first.size, calls()]).toEqual([offers, 2 * offers])
    const second = await names.of(8996, contracts)
    expect([second.size, calls()]).toEqual([offers + 1, 2 * offers + 2])
    expect(second.get(contracts[offers] as Address)).toEqual({ name: `token ${offers}`, symbol: `token ${offers}` })
    await Promise.all([names.of(8996, contracts), names.of(8996, contracts)])
    expect(calls()).toBe(2 * offers + 2)
    expect(await names.of(1, contracts)).toEqual(new Map())
  })

  it('do not delay a document when no node answers, and are queried again', async () => {
    const { chains, store } = world.local.app.context
    const names = new TokenNames(chains, store.index, 1)
    const token = await put(answering(textOf('later')))
    proxy.down = true
    expect(await names.of(8996, [token])).toEqual(new Map([[token, { name: '', symbol: '' }]]))
    proxy.down = false
    await expect.poll(async () => (await names.of(8996, [token])).get(token)?.name).toBe('later')
  })
})
