import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Wallet } from 'ethers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, downloadParams, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { jsonBody, StorageServer } from '../../../../test/helpers/storage-server.js'
import { World } from '../../../../test/helpers/world.js'

/** What the operator adds to the publisher's conditions: an access control server, and purgatory lists. */
describe('access control by the operator', () => {
  let world: World
  let server: StorageServer
  let asset: Published
  let buyer: Wallet
  let txId: string
  let base: string
  let questions: Record<string, unknown>[] = []
  let answer: { status?: number; body: string } = { body: 'true' }
  const folder = newFolder()
  const accounts = join(folder, 'accounts.json')
  let assets: object[] = []

  beforeAll(async () => {
    server = await StorageServer.start()
    const rbac = server.on('/rbac', async (request, response) => {
      questions.push(await jsonBody(request))
      response.writeHead(answer.status ?? 200).end(answer.body)
    })
    const list = server.on('/assets.json', (_request, response) => void response.end(JSON.stringify(assets)))
    writeFileSync(accounts, '[]')
    world = await World.start({
      RBAC_SERVER_URL: rbac,
      PURGATORY_ASSETS: list,
      PURGATORY_ACCOUNTS: accounts,
      PURGATORY_INTERVAL: '100',
    })
    base = `${world.network.providerUrl}/api/services`
    ;({ asset, buyer, txId } = await world.sold(world.storage.file('/a.csv', Buffer.from('tide'))))
  })
  beforeEach(() => {
    answer = { body: 'true' }
    questions = []
  })

  const download = async (nonce = freshNonce()) =>
    ask(`${base}/download?${await downloadParams(asset, txId, buyer, { nonce })}`)
  const initialize = () =>
    ask(`${base}/initialize?documentId=${asset.did}&serviceId=tide-access&consumerAddress=${buyer.address}`)
  const encrypt = (query = '') =>
    ask(`${base}/encrypt?chainId=${world.network.chainId}${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: 'x',
    })

  it('asks the access control server whether the consumer may act', async () => {
    expect((await initialize()).status).toBe(200)
    expect((await download()).text).toBe('tide')
    expect((await encrypt()).status).toBe(201)
    const nonce = freshNonce()
    const signature = await signText(buyer, `${buyer.address}${nonce}encrypt`)
    expect((await encrypt(`&consumerAddress=${buyer.address}&nonce=${nonce}&signature=${signature}`)).status).toBe(201)
    const common = { component: 'provider', providerAddress: world.network.providerAddress }
    const credentials = { type: 'address', value: buyer.address }
    const dids = [{ did: asset.did, serviceId: 'tide-access' }]
    expect(questions).toEqual([
      { eventType: 'initialize', ...common, credentials, dids },
      { eventType: 'access', ...common, credentials, dids },
      { eventType: 'encryptUrl', ...common },
      { eventType: 'encryptUrl', ...common, credentials },
    ])
  })

  it.each([
    ['says no', { body: 'false' }, 403, 'RBAC_DENIED'],
    ['says something else', { body: '"true"' }, 403, 'RBAC_DENIED'],
    ['says nothing', { body: '' }, 403, 'RBAC_DENIED'],
    ['fails', { status: 500, body: 'true' }, 503, 'RBAC_UNAVAILABLE'],
    ['leads elsewhere', { status: 302, body: 'true' }, 503, 'RBAC_UNAVAILABLE'],
  ])('refuses when the server %s, without consuming the nonce', async (_name, says, status, code) => {
    answer = says
    const nonce = freshNonce()
    for (const refused of [await initialize(), await encrypt(), await download(nonce)])
      expect([refused.status, refused.json.code]).toEqual([status, code])
    answer = { body: 'true' }
    expect((await download(nonce)).status).toBe(200)
  })

  it('serves no asset on the purgatory list, and marks its document', async () => {
    assets = [{ did: asset.did, reason: 'stolen' }]
    await eventually(async () => (await download()).json.code === 'PURGATORY')
    expect((await initialize()).json).toMatchObject({ code: 'PURGATORY' })
    const document = await ask(`${world.network.providerUrl}/api/aquarius/assets/ddo/${asset.did}`)
    expect(document.json.purgatory).toEqual({ state: true, reason: 'stolen' })
    assets = []
    await eventually(async () => (await download()).status === 200)
  })

  it('serves no account on the purgatory list, and keeps the last list when a new one cannot be read', async () => {
    writeFileSync(accounts, JSON.stringify([{ address: buyer.address.toLowerCase(), reason: '' }]))
    await eventually(async () => (await download()).json.code === 'PURGATORY')
    writeFileSync(accounts, 'nonsense')
    const before = server.seen('/assets.json').length
    await eventually(() => server.seen('/assets.json').length > before + 2)
    expect((await initialize()).json).toMatchObject({ code: 'PURGATORY' })
    writeFileSync(accounts, '[]')
    await eventually(async () => (await initialize()).status === 200)
  })

  it.each([
    ['not there', undefined],
    ['not JSON', 'nonsense'],
    ['of another form', '[{"address":"0x12"}]'],
  ])('does not start with a purgatory list that is %s', async (_name, content) => {
    const path = join(folder, 'bad.json')
    if (content !== undefined) writeFileSync(path, content)
    await expect(World.start({ PURGATORY_ACCOUNTS: path })).rejects.toThrow(/^PURGATORY_ACCOUNTS: the list /)
  })
})
