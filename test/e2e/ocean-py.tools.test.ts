import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createSchema, createYoga } from 'graphql-yoga'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { owned } from '../helpers/children.js'
import { page } from '../helpers/pages.js'
import { pythonWith } from '../helpers/python.js'
import { FILE_ID } from '../helpers/requests.js'
import { World } from '../helpers/world.js'
import { OCEAN_LIB, OceanPy } from './ocean-py/ocean-py.js'

const python = pythonWith('ocean-lib', OCEAN_LIB)
if (!python)
  console.warn(
    `SKIPPED: ocean.py. There is no Python with ocean-lib ${OCEAN_LIB}; scripts/python-clients.sh installs one.`,
  )

type Entry = { address: string; name: string; symbol: string; serviceId: string }
type Document = { id: string; datatokens: Entry[]; event: { txid: string; tx: string } } & Record<string, unknown>

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Programs with the unmodified ocean.py (test/e2e/ocean-py/), against one base URL for provider and metadata. */
describe.skipIf(!python)(`ocean.py ${OCEAN_LIB}`, () => {
  let world: World
  let ocean: OceanPy
  let urls: string[]
  let url: string
  let folder: string
  const contents = [randomBytes(3_000_000), Buffer.from('hour,height\n00:00,3.1\n'), Buffer.alloc(0)]

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    world = await World.start()
    urls = contents.map((content, at) => world.storage.file(`/tides-${at}.csv`, content))
    url = urls[0] as string
    ocean = OceanPy.start(python as string, world)
  })
  afterAll(async () => {
    await ocean?.close()
    await world?.close()
    rmSync(folder, { recursive: true })
  })

  const downloads = () => mkdtempSync(join(folder, 'downloads-'))
  /** The SHA-256 of each file that ocean.py has written to a folder, by name. */
  const written = (path: string) =>
    Object.fromEntries(readdirSync(path).map((name) => [name, sha256(readFileSync(join(path, name)))]))
  const filesOf = (...indexes: number[]) =>
    Object.fromEntries(indexes.map((at) => [`file${at}`, sha256(contents[at] as Buffer)]))

  describe('publishes', () => {
    it('a file, and resolves it', async () => {
      const found = await ocean.run<Record<string, unknown>>('publishing.one_file', { url })
      expect(found).toMatchObject({
        did: found.calculated,
        nft: { address: found.address, name: 'Tides of March', owner: found.publisher, state: 0 },
        datatokens: [{ address: found.datatoken, name: 'Tides of March: DT1', symbol: 'DT1', serviceId: '0' }],
        event: { contract: found.address, from: found.publisher },
        metadata: { name: 'Tides of March', type: 'dataset' },
        resolved: true,
      })
      expect(found.metadata_alone).toEqual(found.metadata)
    })

    it('an NFT only once, after looking up its DID', async () => {
      expect(await ocean.run('publishing.twice', { url })).toContain('is already registered to another asset')
      expect(await ocean.run('publishing.unknown', { did: `did:op:${'0'.repeat(64)}` })).toEqual([null, false, {}])
    })

    it('with and without encryption and compression', async () => {
      expect(await ocean.run('publishing.in_every_form', { url })).toEqual([
        [true, true, true],
        [true, false, true],
        [false, true, true],
        [false, false, true],
      ])
    })

    it('nothing that is invalid', async () => {
      expect(await ocean.run('publishing.invalid')).toContain("{'services': ['must hold at least one service']}")
    })

    it('a served document as an update', async () => {
      const { before, after, denied, found } = await ocean.run<{
        before: Document
        after: Document
        denied: string
        found: string[]
      }>('publishing.updated', { url })
      const { event, ...rest } = before
      const { event: later, ...same } = after
      expect(same).toEqual(rest)
      expect(later.tx).not.toBe(event.tx)
      expect(after).toMatchObject({
        metadata: { tags: ['springtide'] },
        credentials: { deny: [{ type: 'address', values: [denied] }] },
      })
      expect(found).toEqual([after.id])
    })

    it('a second service, and removes it: datatokens are those of the services', async () => {
      const { second, longer, shorter } = await ocean.run<{ second: string; longer: Entry[]; shorter: Entry[] }>(
        'publishing.second_service',
        { url, other: urls[1] },
      )
      expect(longer).toHaveLength(2)
      expect(longer[1]).toEqual({ address: second, name: 'Second', symbol: 'TWO', serviceId: 'later' })
      expect(shorter).toEqual(longer.slice(0, 1))
    })

    it('and revokes', async () => {
      const { did, before, after } = await ocean.run<Record<string, unknown>>('publishing.revoked', { url })
      expect([before, after]).toEqual([[did], []])
    })
  })

  describe('buys and downloads', () => {
    it('several files, or one of them', async () => {
      expect(written(await ocean.run('buying.given', { urls, folder: downloads() }))).toEqual(filesOf(0, 1, 2))
      expect(written(await ocean.run('buying.given', { urls, folder: downloads(), index: 1 }))).toEqual(filesOf(1))
    })

    it.each([
      ['a dispenser, template 1', null, 1],
      ['a dispenser, template 2', null, 2],
      ['a fixed rate, template 1', 2, 1],
      ['a fixed rate, template 2', 2, 2],
    ])('with %s', async (_name, price, template) => {
      const args = { url, folder: downloads(), price, template }
      const { path, left, ...stats } = await ocean.run<{ path: string; left: string }>('buying.priced', args)
      expect(written(path)).toEqual(filesOf(0))
      // a thousandth of the price goes to the community
      expect(left).toBe(price === null ? '10000000000000000000' : '7998000000000000000')
      const token = { tokenAddress: world.network.addresses.Ocean, tokenSymbol: 'OCEAN' }
      const published = price === null ? { value: 0 } : { value: 2, ...token }
      expect(stats).toEqual({ stats: { orders: 1, price: published }, published: { orders: 0, price: published } })
    })

    it('with offers that are added later, and not before', async () => {
      const args = { url, folder: downloads() }
      const { poor, left, path } = await ocean.run<Record<string, string>>('buying.offered_later', args)
      expect(poor).toContain('is not sufficient')
      expect(left).toBe('1000000000000000000')
      expect(written(path as string)).toEqual(filesOf(0))
    })

    it('by reusing an order', async () => {
      const args = { url, folder: downloads() }
      const found = await ocean.run<{ path: string; orders: string[]; first: string }>('buying.reused', args)
      expect(written(found.path)).toEqual(filesOf(0))
      expect(found.orders).toEqual([found.first])
    })

    it('an order that somebody else has paid for, as its consumer only', async () => {
      const args = { url, folder: downloads() }
      const { path, refusals } = await ocean.run<{ path: string; refusals: string[] }>('buying.for_somebody_else', args)
      expect(written(path)).toEqual(filesOf(0))
      expect(refusals).toEqual([
        expect.stringContaining('The order was made neither by nor for consumerAddress.'),
        // the transaction id as bytes instead of hex digits
        expect.stringContaining('The transferTxId field must be a transaction id'),
      ])
    })

    it('nothing when the consumer is denied', async () => {
      expect(await ocean.run('buying.denied', { url })).toEqual([
        // ConsumableCodes.CREDENTIAL_IN_DENY_LIST
        'AssetNotConsumable(4)',
        expect.stringContaining('CREDENTIALS_DENIED'),
      ])
    })

    it('a query with a value from the consumer, and a contract call', async () => {
      const typeDefs = 'type Query { heights(station: String!): [String!]! }'
      const resolvers = { Query: { heights: (_: unknown, args: { station: string }) => [`${args.station}: 3.1`] } }
      const yoga = createYoga({ logging: false, schema: createSchema({ typeDefs, resolvers }) })
      const args = { url: world.storage.on('/graphql', yoga), folder: downloads() }
      const paths = await ocean.run<string[]>('asking.other_kinds', args)
      const [heights, fee] = paths.map((path) => readFileSync(join(path, 'file0'), 'utf8'))
      expect(JSON.parse(heights as string)).toEqual({ data: { heights: ['Ullapool: 3.1'] } })
      expect(fee).toBe('"1000000000000000"')
    })
  })

  const [short = '', full = '', program = '', ...others] = page('docs/clients/ocean-py.md')
    .blocks.filter(({ language }) => language === 'python')
    .map(({ text }) => text)

  it.each([
    ['as it is', program],
    ['with the configuration written out', program.replace(short, `${full}ocean = Ocean(config)\n`)],
  ])('runs the program of its page, %s', async (_, code) => {
    expect(others).toEqual([])
    expect(code.split('Ocean(config)')).toHaveLength(2)
    const cwd = downloads()
    writeFileSync(join(cwd, 'program.py'), code)
    const { providerUrl: PROVIDER, rpcUrl: RPC_URL, chainId, accounts } = world.network
    const own = { PROVIDER, RPC_URL, CHAIN_ID: `${chainId}`, PRIVATE_KEY: accounts[2]?.privateKey, FILE_URL: url }
    const env = { ...own, HOME: cwd, ADDRESS_FILE: world.local.addressFile, PYTHONWARNINGS: 'ignore' }
    const child = owned(spawn(python as string, ['program.py'], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] }))
    const output = text(child.stderr)
    const [status] = await once(child, 'exit')
    expect(status, await output).toBe(0)
    expect(sha256(readFileSync(join(cwd, 'file.bin')))).toBe(sha256(contents[0] as Buffer))
  })

  describe('asks for', () => {
    it('the provider', async () => {
      expect(await ocean.run('asking.provider')).toEqual({
        valid: true,
        root: world.network.providerUrl,
        address: world.network.providerAddress,
        environments: [],
      })
    })

    it('encryption, which the library of the legacy service reads', async () => {
      const key = world.network.accounts[8]?.privateKey
      const answer = (clear: Buffer) => [201, 'text/plain', clear.toString('hex')]
      expect(await ocean.run('asking.encrypted', { key })).toEqual([
        answer(Buffer.from('höhe')),
        answer(Buffer.from('{"tide":1}')),
        answer(Buffer.from([0x00, 0xff])),
      ])
    })

    it('information about files, with checksums', async () => {
      const single = [urls[1], `${world.storage.origin}/none`]
      const found = await ocean.run<{ plain: object[]; checked: object[] }>('asking.files', { urls, single })
      const described = contents.map(({ length }, index) => ({
        ...{ index, id: expect.stringMatching(FILE_ID), valid: true, type: 'url' },
        ...{ contentLength: String(length), contentType: 'text/csv' },
      }))
      expect(found).toMatchObject({ valid: true, unknown: false, single: [true, false] })
      expect(found.plain).toEqual(described)
      const sums = contents.map((content) => ({ checksum: sha256(content), checksumType: 'sha256' }))
      expect(found.checked).toEqual(described.map((one, at) => ({ ...one, ...sums[at] })))
    })

    it('the checksum of an algorithm that a dataset will trust', async () => {
      const service = await ocean.run('asking.trusted_algorithm', { url: urls[1], data: url })
      expect(service).toMatchObject({
        type: 'compute',
        compute: { publisherTrustedAlgorithms: [{ filesChecksum: sha256(contents[1] as Buffer) }] },
      })
    })

    it('assets by words, fields and filters', async () => {
      const { did, found, same, refusal } = await ocean.run<Record<string, unknown>>('asking.search', { url })
      const [one, none] = [[did], []]
      expect(found).toEqual({ word: one, did: one, nobody: none, field: one, 'other field': none, filters: one })
      expect(same).toBe(true)
      expect(refusal).toContain('more_like_this')
    })
  })
})
