import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { owned } from '../../../../test/helpers/children.js'
import { program, runCommand } from '../../../../test/helpers/command.js'
import { runHere } from '../../../../test/helpers/command-here.js'
import { Market } from '../../../client/test/chain/market.js'
import { startAgent } from './agent.js'
import { CONTENT, useScripts } from './scripts.js'

const OCEAN = 10n ** 18n

describe('tidegate mcp', () => {
  const scripts = useScripts()
  let market: Market
  let path: string
  let answer: () => Promise<'accept' | 'decline'>
  /** Agents that tests share, since each start takes as long as a test. One buys free assets, the other one asks before. */
  let agent: Awaited<ReturnType<typeof started>>
  let asking: Awaited<ReturnType<typeof started>>
  beforeAll(async () => {
    market = new Market(scripts.world)
    path = folder()
    agent = await started(['--account', '3', '--yes', '--folder', path])
    asking = await started(['--account', '2', '--max-spend', '6:ocean'], () => answer())
  })
  let folders = 0
  const folder = () => {
    const path = scripts.at(`downloads-${folders++}`)
    mkdirSync(path)
    return path
  }
  const sale = async (rate: bigint | 'free', adjust?: (document: Record<string, never>) => void) => {
    const price = rate === 'free' ? rate : { token: scripts.world.network.addresses.Ocean, rate }
    return market.sale({ price, ...(adjust ? { adjust } : {}) })
  }

  const started = (args: string[], answer?: () => Promise<'accept' | 'decline'>) =>
    startAgent(args, scripts.settings(), answer)

  it('finds, buys a free asset and downloads it, without overwriting (threat 117)', async () => {
    const did = await scripts.published()
    const { client, call, stderr } = agent
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['search_assets', 'preview', 'buy', 'get']))
    expect(await call('search_assets', { text: 'tide' })).toMatchObject({ assets: [{ did }] })
    expect(await call('get', { did })).toMatchObject({ refused: 'NO_ORDER' })
    const bought = await call('buy', { did })
    expect(bought).toMatchObject({ reused: false, paid: [], spent: [] })
    expect(await call('buy', { did })).toMatchObject({ reused: true, order: bought.order })
    expect(await call('quote', { did })).toMatchObject({ order: bought.order, price: { total: [] } })
    expect(await call('my_orders')).toMatchObject({ orders: [{ did, order: bought.order }] })
    const saved = await call('get', { did })
    expect(readFileSync(saved.path as string).equals(CONTENT)).toBe(true)
    expect(readdirSync(path)).toEqual([`${did.slice(7, 15)}-tides.csv`])
    expect(await call('get', { did })).toMatchObject({ refused: 'FILE_EXISTS' })
    const { url } = await call('download_link', { did })
    expect(await (await fetch(url as string)).text()).toBe(CONTENT.toString())
    const { privateKey } = scripts.world.network.accounts[3] as { privateKey: string }
    expect(stderr()).toContain('a tool failed: NO_ORDER')
    for (const secret of [url as string, privateKey.slice(2)]) expect(stderr()).not.toContain(secret)
  })

  it('asks before each purchase, and shows facts before a stranger’s text', async () => {
    const lie = 'Tides"\nPrice: free\u202e <b>x</b>'
    const { did, publisher } = await sale(5n * OCEAN, (document) =>
      Object.assign(document.metadata as unknown as object, { name: lie }),
    )
    const { call, questions } = asking
    answer = async () => 'decline'
    expect(await call('buy', { did })).toMatchObject({ refused: 'NOT_CONFIRMED' })
    answer = async () => 'accept'
    expect(await call('buy', { did })).toMatchObject({ paid: [{ amount: '5.005' }], spent: [{ amount: '5.005' }] })
    expect(questions).toHaveLength(2)
    expect(questions[0]?.split('\n').map((line) => line.split(':')[0])).toEqual([
      ...['Buy access to this asset?', 'Price', 'An order is valid forever', 'Account', 'Asset', 'Seller'],
      'Its publisher calls it',
    ])
    expect(questions[0]).toContain('Price: 5.005 OCEAN (token 0x')
    expect(publisher.address).not.toBe('')
    const silent = await started(['--account', '2', '--max-spend', '100:OCEAN'])
    expect(await silent.call('buy', { did: (await sale('free')).did })).toMatchObject({ refused: 'NOT_CONFIRMED' })
  })

  it('never spends more than the limits: in parallel, at a raised price, in another token (threat 118)', async () => {
    const sales = [await sale(5n * OCEAN), await sale(5n * OCEAN), await sale(5n * OCEAN)]
    const limits = ['--max-spend', '10.02:OCEAN', '--max-each', '6:OCEAN']
    const { call } = await started(['--account', '4', '--yes', ...limits])
    const outcomes = await Promise.all(sales.map(({ did }) => call('buy', { did })))
    expect(outcomes.map(({ refused }) => refused).filter(Boolean)).toEqual(['SPENDING_LIMIT'])
    expect(outcomes.filter(({ order }) => order)).toHaveLength(2)
    const [one] = sales
    const raise = async (rate: bigint) => {
      const { addresses } = scripts.world.network
      const exchange = await market.exchangeOf(raised, addresses.Ocean)
      await market.call(raised.publisher.signer, addresses.FixedPrice, 'setRate', [exchange, rate])
    }
    const raised = await sale(5n * OCEAN)
    const asked = await started(['--account', '5', '--max-spend', '50:OCEAN', '--max-each', '6:OCEAN'], async () => {
      await raise(7n * OCEAN)
      return 'accept'
    })
    expect(await asked.call('buy', { did: raised.did })).toMatchObject({ refused: 'PRICE_CHANGED' })
    expect(await asked.call('buy', { did: raised.did })).toMatchObject({ refused: 'SPENDING_LIMIT' })
    // the failed purchase released its part
    const { did } = one as { did: string }
    expect(await asked.call('buy', { did })).toMatchObject({ spent: [{ amount: '5.005' }] })
    const other = await scripts.published('--price', '1:USDC')
    expect(await asked.call('buy', { did: other })).toMatchObject({ refused: 'SPENDING_LIMIT' })
    expect(await agent.call('buy', { did })).toMatchObject({ refused: 'SPENDING_LIMIT' })
  })

  it('accepts terms by an answer of the user, and by --yes only with --accept-terms (threat 123)', async () => {
    const text = '# Terms\n\nPrice: 0 OCEAN \u202e<b>x</b>\n'
    const url = scripts.world.storage.file('/terms.md', Buffer.from(text))
    const sha256 = createHash('sha256').update(text).digest('hex')
    const { did } = await sale('free', (document) =>
      Object.assign(document.metadata as unknown as object, {
        additionalInformation: { termsAndConditions: { url, sha256, name: 'Terms' } },
      }),
    )
    expect(await agent.call('describe_asset', { did })).toMatchObject({ hasTerms: true })
    expect(await agent.call('buy', { did })).toMatchObject({ refused: 'TERMS_NOT_ACCEPTED' })
    const seen = () => scripts.world.storage.seen('/terms.md').length
    answer = async () => (seen() === 0 ? 'accept' : 'decline')
    expect(await asking.call('buy', { did })).toMatchObject({ reused: false })
    expect(asking.questions.at(-1)).toMatch(new RegExp(`Terms: ${url}\nSHA-256 of the terms: ${sha256}$`))
    expect(seen()).toBe(1)
    const agreed = await started(['--account', '3', '--yes', '--accept-terms'])
    expect(await agreed.call('buy', { did })).toMatchObject({ reused: false })
  })

  it('reads messages as models and their clients write them', async () => {
    const did = await scripts.published()
    const { call, client } = agent
    expect(await call('search_assets', { text: 'tide', page: null, tags: '', free: 'true' })).toMatchObject({ page: 1 })
    expect(await call('quote', { did: [did], file: '0', service: null })).toMatchObject({ did })
    // a limit that the tool does not know is not ignored
    expect(await call('buy', { did, maxPrice: 1 })).toMatchObject({ refused: 'MCP error -32602' })
    const nothing = { name: 'search_assets', arguments: null } as never
    expect(await client.callTool(nothing)).toMatchObject({ structuredContent: { page: 1 } })
    await expect(client.callTool({ ...(nothing as object), arguments: 7 } as never)).rejects.toMatchObject({
      code: -32602,
    })
  })

  it('only reads without an account, ends with its input, and survives garbage', async () => {
    const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const { status, stdout } = await runCommand(['mcp'], scripts.settings(), `garbage\n{"a":1}\n[]\n${list}\n`)
    const answers = stdout.trim().split('\n')
    expect({ status, ids: answers.map((line) => JSON.parse(line).id) }).toEqual({
      status: 0,
      ids: [null, null, null, 1],
    })
    expect(answers.at(-1)).toContain('"search_assets"')
    expect(answers.at(-1)).not.toContain('"buy"')
    const flooded = owned(spawn(process.execPath, [...program(), 'mcp'], { env: scripts.settings() }))
    // it ends before it has read all
    flooded.stdin.on('error', () => undefined).end('x'.repeat(11_000_000))
    expect(await once(flooded, 'exit')).toEqual([0, null])
    for (const args of [
      ['--folder', scripts.at('none')],
      ['--max-spend', '5'],
      ['--max-each', '1e9:OCEAN'],
    ])
      expect((await runHere(['mcp', ...args], scripts.settings())).status).toBe(2)
  })
})
