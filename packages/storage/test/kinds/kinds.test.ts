import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { S3_KEYS, startFtp, startS3 } from '../../../../test/helpers/backends.js'
import { chainWithContracts } from '../../../../test/helpers/chain.js'
import { createSchema, createYoga } from '../../../../test/helpers/graphql-server.js'
import { IpfsGateway } from '../../../../test/helpers/ipfs-gateway.js'
import { kindSuite } from '../../../../test/helpers/kind-suite.js'
import { startPostgres } from '../../../../test/helpers/postgres-database.js'
import { StorageServer } from '../../../../test/helpers/storage-server.js'
import { ChainNodes } from '../../../chain/src/nodes/nodes.js'
import { BlockCache } from '../../src/cache/block-cache.js'
import { STORAGE_LIMITS } from '../../src/limits.js'

const CONTENT = randomBytes(600_000)
const MISSING_CID = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'

kindSuite('url', async () => {
  const server = await StorageServer.start()
  return {
    content: CONTENT,
    file: { url: server.file('/a.bin', CONTENT), method: 'GET' },
    missing: { url: `${server.origin}/none`, method: 'GET' },
    bad: [
      [{ url: 'ftp://host/' }, 'url'],
      [{ url: 'http://u:p@host/' }, 'url'],
      [{ method: 'PUT' }, 'method'],
      [{ headers: { Host: 'x' } }, 'headers'],
      [{ headers: { a: 'x\ny' } }, 'headers'],
      [{ headers: ['x'] }, 'headers'],
    ],
    ranges: true,
    close: () => server.close(),
  }
})

for (const [type, field] of [
  ['ipfs', 'hash'],
  ['filecoin', 'cid'],
] as const)
  for (const way of ['by CAR', 'by single blocks', 'with a cache'])
    kindSuite(
      type,
      async () => {
        const [gateway, liar] = [await IpfsGateway.start(), await IpfsGateway.start()]
        const folder = mkdtempSync(join(tmpdir(), 'tidegate-cache-'))
        const blockCache = way === 'with a cache' ? new BlockCache({ folder, size: 2 ** 30, writers: 1 }) : undefined
        if (way === 'by single blocks')
          for (const one of [gateway, liar]) one.answerCar = (_asked, response) => void response.writeHead(406).end()
        const { cid, blocks } = await gateway.add(CONTENT)
        await liar.add(CONTENT)
        for (const block of blocks) liar.lies.add(block)
        return {
          content: CONTENT,
          file: { [field]: cid },
          missing: { [field]: MISSING_CID },
          bad: ['', 'x', `${cid}/../x`, `//host/${cid}`, `${cid}?x`, `${cid}\n`, `..\\${cid}`].map((hash) => [
            { [field]: hash },
            field,
          ]),
          ranges: true,
          // the first gateway returns wrong blocks, which is detected each time
          tools: {
            gateways: { ipfs: [liar.origin, gateway.origin], filecoin: [liar.origin, gateway.origin], arweave: [] },
            blockCache,
          },
          close: async () => {
            await blockCache?.settled()
            await gateway.close()
            await liar.close()
            rmSync(folder, { recursive: true })
          },
        }
      },
      way,
    )

kindSuite('arweave', async () => {
  const [server, dead] = [await StorageServer.start(), await StorageServer.start()]
  const id = 'AbC_-0123456789012345678901234567890123456x'.padEnd(43, 'x').slice(0, 43)
  server.file(`/${id}`, CONTENT, 'application/octet-stream')
  return {
    content: CONTENT,
    file: { transactionId: id },
    missing: { transactionId: 'y'.repeat(43) },
    bad: ['', 'x', '../../../../../../../../../../../../../../x', `${id.slice(1)}/`, `${id}\n`, `//host/${id}`].map(
      (transactionId) => [{ transactionId }, 'transactionId'],
    ),
    ranges: true,
    tools: { gateways: { ipfs: [], filecoin: [], arweave: [dead.origin, server.origin] } },
    close: async () => {
      await server.close()
      await dead.close()
    },
  }
})

kindSuite('graphql', async () => {
  const yoga = createYoga({
    logging: false,
    schema: createSchema({
      typeDefs: 'type Query { heights(station: String!): [Float!]! }',
      resolvers: {
        Query: { heights: (_: unknown, { station }: { station: string }) => (station === 'a' ? [3.1, 2.9] : []) },
      },
    }),
  })
  const server = createServer(yoga)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    content: Buffer.from('{"data":{"heights":[3.1,2.9]}}'),
    file: { url: `${origin}/graphql`, query: 'query ($station: String!) { heights(station: $station) }' },
    missing: { url: `${origin}/elsewhere`, query: '{ x }' },
    bad: [
      [{ url: 'nonsense' }, 'url'],
      [{ query: '' }, 'query'],
      [{ query: 5 }, 'query'],
      [{ headers: { 'Content-Length': '1' } }, 'headers'],
    ],
    ranges: false,
    userdata: { station: 'a' },
    close: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
})

kindSuite('smartcontract', async () => {
  const { anvil, addresses } = await chainWithContracts()
  const { Ocean } = addresses
  const nodes = new ChainNodes(8996, [new URL(anvil.rpcUrl)], { timeout: 5000, agreement: 1 })
  const abi = {
    type: 'function',
    name: 'balanceOf',
    stateMutability: 'view',
    inputs: [{ name: 'account', type: 'address' }],
    outputs: [{ name: '', type: 'uint256' }],
  }
  return {
    content: Buffer.from('"910000000000000000000000"'),
    file: { chainId: 8996, address: Ocean, abi },
    missing: { chainId: 8996, address: '0x00000000000000000000000000000000000000Aa', abi },
    bad: [
      [{ chainId: 'x' }, 'chainId'],
      [{ address: '0x1' }, 'address'],
      [{ abi: [abi] }, 'abi'],
      [{ abi: { ...abi, stateMutability: 'nonpayable' } }, 'abi'],
    ],
    ranges: false,
    userdata: { account: '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260' },
    tools: {
      readContract: (_chainId, to, data, limit) => nodes.ask((_client, foreign) => foreign({ to, data, limit })),
    },
    close: () => anvil.stop(),
  }
})

kindSuite('s3', async () => {
  const { port, close } = await startS3('tides', 'year 2026/höhe.csv', CONTENT)
  const file = { endpoint: `http://127.0.0.1:${port}`, bucket: 'tides', key: 'year 2026/höhe.csv', ...S3_KEYS }
  return {
    content: CONTENT,
    file,
    missing: { ...file, secretAccessKey: 'wrong' },
    bad: [
      [{ endpoint: 'nonsense' }, 'endpoint'],
      [{ endpoint: 'http://u:p@host' }, 'endpoint'],
      [{ bucket: '../x' }, 'bucket'],
      [{ key: 'a/../../b' }, 'key'],
      [{ key: 'a\nb' }, 'key'],
      [{ region: 'x y' }, 'region'],
      [{ accessKeyId: '' }, 'accessKeyId'],
      [{ secretAccessKey: undefined }, 'secretAccessKey'],
    ],
    ranges: true,
    close,
  }
})

kindSuite('ftp', async () => {
  const { port, close } = await startFtp('höhe 1.csv', CONTENT)
  const url = (user: string, path: string) => `ftp://${user}@127.0.0.1:${port}/${path}`
  const password = encodeURIComponent('pässword')
  return {
    content: CONTENT,
    file: { url: url(`tide:${password}`, encodeURIComponent('höhe 1.csv')) },
    missing: { url: url(`tide:${password}`, 'none.csv') },
    bad: [
      'http://host/x',
      'ftp://host/',
      'ftp://host/x%0d%0aDELE%20y',
      'ftp://us%0aer@host/x',
      'nonsense',
      'ftp://host/%zz',
      `ftp://host/${'x'.repeat(STORAGE_LIMITS.files.url)}`,
    ].map((bad) => [{ url: bad }, 'url']),
    ranges: true,
    close,
  }
})

kindSuite('sql', async () => {
  const postgres = await startPostgres(`
    CREATE TABLE tide (station text, hour int, height numeric(5, 2), at timestamptz, note jsonb);
    INSERT INTO tide SELECT 'a', g, g * 1.5, '2026-01-01T00:00:00Z', '{"k": "ü,"}' FROM generate_series(1, 3) g`)
  const url = postgres.url()
  const row = (hour: number) => `a,${hour},${(hour * 1.5).toFixed(2)},2026-01-01T00:00:00.000Z,"{""k"":""ü,""}"\n`
  return {
    content: Buffer.from(`station,hour,height,at,note\n${row(1)}${row(2)}${row(3)}`),
    file: {
      url,
      query: 'SELECT * FROM tide WHERE station = $1 AND hour < $2 ORDER BY hour',
      parameters: ['station', 'below'],
    },
    missing: { url, query: 'SELECT * FROM nothing' },
    bad: [
      [{ url: 'mysql://host/db' }, 'url'],
      [{ url: 'postgres://host' }, 'url'],
      [{ url: `postgres://user@host/${'x'.repeat(STORAGE_LIMITS.files.url)}` }, 'url'],
      [{ query: '' }, 'query'],
      [{ parameters: 'station' }, 'parameters'],
      [{ parameters: ['x'.repeat(129)] }, 'parameters'],
      [{ format: 'xml' }, 'format'],
    ],
    ranges: false,
    sized: false,
    userdata: { station: 'a', below: 10 },
    close: postgres.close,
  }
})
