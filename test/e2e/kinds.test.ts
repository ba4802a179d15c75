import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Wallet } from 'ethers'
import { createSchema, createYoga } from 'graphql-yoga'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { S3_KEYS, startFtp, startS3 } from '../helpers/backends.js'
import { downloadUrl } from '../helpers/consume.js'
import { IpfsGateway } from '../helpers/ipfs-gateway.js'
import { startPostgres } from '../helpers/postgres-database.js'
import { ask, askJson, downloadParams } from '../helpers/requests.js'
import { StorageServer } from '../helpers/storage-server.js'
import { World } from '../helpers/world.js'

/** Every kind of storage, published, ordered and downloaded with the client library. */
describe('storage kinds end to end', () => {
  let world: World
  let buyer: Wallet
  let ipfs: IpfsGateway
  let arweave: StorageServer
  const CONTENT = randomBytes(700_000)
  const ARWEAVE_ID = 'a'.repeat(43)
  const yoga = createServer(
    createYoga({
      logging: false,
      schema: createSchema({
        typeDefs: 'type Query { height(hour: Int!): Float! }',
        resolvers: { Query: { height: (_: unknown, { hour }: { hour: number }) => hour + 0.5 } },
      }),
    }),
  )

  beforeAll(async () => {
    ;[ipfs, arweave] = await Promise.all([IpfsGateway.start(), StorageServer.start()])
    yoga.listen(0, '127.0.0.1')
    await once(yoga, 'listening')
    world = await World.start({
      IPFS_GATEWAY: `http://127.0.0.1:1,${ipfs.origin}/ipfs/`,
      ARWEAVE_GATEWAY: arweave.origin,
    })
    arweave.file(`/${ARWEAVE_ID}`, CONTENT, 'application/pdf')
    buyer = await world.somebody()
  })
  afterAll(async () => {
    yoga.close()
    yoga.closeAllConnections()
  })

  async function published(file: object) {
    const asset = await world.publish({ files: [file] })
    return { asset, txId: await world.order(asset, buyer) }
  }
  async function download(file: object, headers: Record<string, string> = {}): Promise<Response> {
    const { asset, txId } = await published(file)
    return fetch(await downloadUrl(world.network, asset, txId, buyer), { headers })
  }
  async function withUserdata(file: object, userdata: object) {
    const { asset, txId } = await published(file)
    const params = await downloadParams(asset, txId, buyer, { userdata: JSON.stringify(userdata) })
    return ask(`${world.network.providerUrl}/api/services/download?${params}`)
  }

  it('ipfs and filecoin: identical bytes, and ranges', async () => {
    const { cid } = await ipfs.add(CONTENT)
    for (const file of [
      { type: 'ipfs', hash: cid },
      { type: 'filecoin', cid },
    ]) {
      const response = await download(file)
      expect(response.status).toBe(200)
      expect(Buffer.from(await response.arrayBuffer()).equals(CONTENT)).toBe(true)
      const part = await download(file, { range: 'bytes=300000-300009' })
      expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 300000-300009/700000'])
      expect(Buffer.from(await part.arrayBuffer()).equals(CONTENT.subarray(300_000, 300_010))).toBe(true)
    }
  })

  it('ipfs: a gateway that sends wrong blocks breaks the transfer, which never completes with wrong content', async () => {
    const { cid, blocks } = await ipfs.add(randomBytes(900_000))
    ipfs.lies.add(blocks[2] as string)
    const response = await download({ type: 'ipfs', hash: cid })
    await expect(response.arrayBuffer()).rejects.toThrow()
  })

  it('ipfs: a directory is not a file, and an unreachable gateway is a 502', async () => {
    const { cid } = await ipfs.add(Buffer.from('x'), 'folder/file')
    expect((await download({ type: 'ipfs', hash: cid })).status).toBe(502)
    const { cid: one } = await ipfs.add(randomBytes(10))
    const { asset, txId } = await published({ type: 'ipfs', hash: one })
    ipfs.down = true
    const response = await fetch(await downloadUrl(world.network, asset, txId, buyer))
    expect(response.status).toBe(502)
    ipfs.down = false
  })

  it('arweave: identical bytes', async () => {
    const response = await download({ type: 'arweave', transactionId: ARWEAVE_ID })
    expect(Buffer.from(await response.arrayBuffer()).equals(CONTENT)).toBe(true)
    expect(response.headers.get('content-type')).toBe('application/pdf')
    expect(response.headers.get('content-disposition')).not.toContain(ARWEAVE_ID)
  })

  it('graphql: userdata becomes the variables', async () => {
    const url = `http://127.0.0.1:${(yoga.address() as AddressInfo).port}/graphql`
    const file = { type: 'graphql', url, query: 'query ($hour: Int!) { height(hour: $hour) }' }
    expect((await withUserdata(file, { hour: 4 })).json).toEqual({ data: { height: 4.5 } })
  })

  describe('smartcontract', () => {
    const call = (name: string, inputs: object[], outputs: object[], address: string) => ({
      type: 'smartcontract',
      chainId: 8996,
      address,
      abi: { type: 'function', name, inputs, outputs, stateMutability: 'view' },
    })
    const uint = (name = '') => ({ name, type: 'uint256' })

    it('returns big integers as text, and named outputs as an object', async () => {
      const { Ocean, Dispenser } = world.network.addresses
      const holder = world.network.accounts[0]?.address as string
      const balance = call('balanceOf', [{ name: 'account', type: 'address' }], [uint()], Ocean)
      expect((await withUserdata(balance, { account: holder })).text).toBe('"910000000000000000000000"')
      const none = await withUserdata(balance, { account: buyer.address })
      expect([none.status, none.text]).toEqual([200, '"0"'])
      const { asset } = await published(balance)
      const status = call(
        'status',
        [{ name: 'datatoken', type: 'address' }],
        [
          { name: 'active', type: 'bool' },
          { name: 'owner', type: 'address' },
          { name: 'isMinter', type: 'bool' },
          uint('maxTokens'),
          uint('maxBalance'),
          uint('balance'),
          { name: 'allowedSwapper', type: 'address' },
        ],
        Dispenser,
      )
      expect((await withUserdata(status, { datatoken: asset.datatoken })).json).toMatchObject({
        active: true,
        maxTokens: '100000000000000000000',
      })
    })

    it('accepts zero values, reports wrong and missing arguments, and answers reverts with 502 (threat 30)', async () => {
      const { ERC721Factory } = world.network.addresses
      const template = call(
        'getTokenTemplate',
        [uint('_index')],
        [
          {
            name: '',
            type: 'tuple',
            components: [
              { name: 'templateAddress', type: 'address' },
              { name: 'isActive', type: 'bool' },
            ],
          },
        ],
        ERC721Factory,
      )
      expect((await withUserdata(template, { _index: 1 })).json).toMatchObject({ isActive: true })
      expect((await withUserdata(template, { _index: 0 })).status).toBe(502)
      const silent = call('balanceOf', [{ name: 'account', type: 'address' }], [], world.network.addresses.Ocean)
      expect((await withUserdata(silent, { account: buyer.address })).text).toBe('null')
      expect((await withUserdata(template, {})).json.errors).toEqual({ userdata: [expect.stringContaining('_index')] })
      expect((await withUserdata(template, { _index: 'x' })).json.errors).toHaveProperty('userdata')
    })
  })

  it('s3, ftp and sql: identical bytes', async () => {
    const [s3, ftp, postgres] = await Promise.all([
      startS3('tides', 'a.csv', CONTENT),
      startFtp('a.csv', CONTENT),
      startPostgres('CREATE TABLE tide (hour int); INSERT INTO tide VALUES (1), (2), (3)'),
    ])
    const object = { type: 's3', endpoint: `http://127.0.0.1:${s3.port}`, bucket: 'tides', key: 'a.csv', ...S3_KEYS }
    const file = { type: 'ftp', url: `ftp://tide:${encodeURIComponent('pässword')}@127.0.0.1:${ftp.port}/a.csv` }
    for (const one of [object, file]) {
      const response = await download(one)
      expect(Buffer.from(await response.arrayBuffer()).equals(CONTENT)).toBe(true)
      expect(response.headers.get('content-disposition')).toBe('attachment;filename=a.csv')
    }
    const url = postgres.url()
    const query = { type: 'sql', url, query: 'SELECT hour FROM tide WHERE hour > $1 ORDER BY 1', parameters: ['after'] }
    const rows = await withUserdata(query, { after: 1 })
    expect([rows.text, rows.headers.get('content-type')]).toEqual(['hour\n2\n3\n', 'text/csv; charset=utf-8'])
    await Promise.all([s3.close(), ftp.close(), postgres.close()])
  })

  it('consumes no nonce when the arguments are wrong', async () => {
    const file = {
      type: 'smartcontract',
      chainId: 8996,
      address: world.network.addresses.Ocean,
      abi: {
        type: 'function',
        name: 'balanceOf',
        inputs: [{ name: 'account', type: 'address' }],
        outputs: [{ name: '', type: 'uint256' }],
        stateMutability: 'view',
      },
    }
    const { asset, txId } = await published(file)
    const params = await downloadParams(asset, txId, buyer)
    const url = () => `${world.network.providerUrl}/api/services/download?${params}`
    expect((await ask(url())).json.errors).toHaveProperty('userdata')
    params.set('userdata', JSON.stringify({ account: buyer.address }))
    expect((await ask(url())).status).toBe(200)
  })

  it('one files list may mix kinds', async () => {
    const { cid } = await ipfs.add(Buffer.from('ipfs'))
    const url = world.storage.file('/mixed.csv', Buffer.from('url'))
    const asset = await world.publish({
      files: [
        { type: 'url', url, method: 'GET' },
        { type: 'ipfs', hash: cid },
        { type: 'arweave', transactionId: ARWEAVE_ID },
      ],
    })
    const info = await askJson(`${world.network.providerUrl}/api/services/fileinfo`, {
      did: asset.did,
      serviceId: 'tide-access',
      checksum: true,
    })
    expect(info.json).toMatchObject([
      { index: 0, type: 'url', valid: true, contentLength: '3' },
      { index: 1, type: 'ipfs', valid: true, contentLength: '4', checksum: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { index: 2, type: 'arweave', valid: true, contentLength: '700000' },
    ])
  })
})
