import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import { ethers, type Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Checked, checkFile, checkHeader } from '../../src/assets/index/file/check.js'
import { openIndexFile } from '../../src/assets/index/file/rows.js'
import { ChainFollower } from '../../src/assets/index/follower.js'
import { BOUNDS } from '../../src/bounds.js'
import type { Chain } from '../../src/chain/chains.js'
import { ChainNodes } from '../../src/chain/nodes.js'
import type { Hex } from '../../src/hex.js'
import { openPostgresStore } from '../../src/state/postgres.js'
import { openSqliteStore } from '../../src/state/sqlite.js'
import type { StateStore } from '../../src/state/store.js'
import type { Database } from '../../src/state/transfer/place.js'
import { openSnapshot } from '../../src/state/transfer/snapshot.js'
import { type PostgresBackend, startPostgres } from '../helpers/backends.js'
import { type Ended, program, runCommand } from '../helpers/command.js'
import { runHere } from '../helpers/command-here.js'
import { mined } from '../helpers/consume.js'
import { eventually } from '../helpers/eventually.js'
import { ocean } from '../helpers/ocean.js'
import { page } from '../helpers/pages.js'
import type { Published } from '../helpers/publish.js'
import { RpcProxy } from '../helpers/rpc-proxy.js'
import { onPostgres, startCommand, valueIn } from '../helpers/states.js'
import { World } from '../helpers/world.js'

const KINDS = ['embedded', 'postgres'] as const
/** Blocks that a reorganisation may replace: the others are exported. */
const REORG_DEPTH = 4

type Fields = Record<string, unknown>
type Row = Record<'kind', string> & Record<'nft' | 'datatoken' | 'metadata', Fields | undefined>

/** Files of the index: exported from a service that runs, and imported into new databases. */
describe('tidegate index', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  const file = join(folder, 'index.gz')
  let world: World
  let server: PostgresBackend
  let publisher: Wallet
  let [ordered, plain, revoked]: Published[] = []
  let exported: Fields
  let lines: string[]
  let at = 0

  beforeAll(async () => {
    server = await startPostgres()
    world = await World.start({ INDEX_REORG_DEPTH: `${REORG_DEPTH}` })
    publisher = await world.somebody()
    const nft = new ocean.Nft(publisher, world.network.chainId)
    const url = world.storage.file('/a.csv', Buffer.from('a'))
    ordered = await world.publishUrl(url, { publisher })
    plain = await world.publishUrl(url, { publisher })
    revoked = await world.publishUrl(url, { publisher })
    const unread = await world.publishUrl(url, { publisher })
    // without any document, and with texts that need to be escaped
    const factory = new ocean.NftFactory(
      world.network.addresses.ERC721Factory as string,
      publisher,
      world.network.chainId,
    )
    const { address: owner } = publisher
    await factory.createNFT({
      name: 'a\0"\\\n🌊',
      symbol: '',
      templateIndex: 1,
      tokenURI: 'x'.repeat(5000),
      transferable: true,
      owner,
    })
    const published = { ...plain.ddo, metadata: { ...plain.ddo.metadata, name: 'Höhen "2"' } }
    await publishPlain(nft, plain.nft, JSON.stringify(published))
    await mined(nft.setMetadata(unread.nft, owner, 0, '', '', '0x02', '0x1234', ethers.utils.id('x')))
    await nft.createDatatoken(
      plain.nft,
      owner,
      owner,
      owner,
      owner,
      ethers.constants.AddressZero,
      '0',
      '100',
      'Second',
      'B',
    )
    await world.order(ordered, await world.somebody())
    await world.order(ordered, await world.somebody())
    await mined(nft.setMetadataState(revoked.nft, owner, 3))
    // more blocks than a sample is read over one by one
    await world.rpc('anvil_mine', ['0x220'])
    await world.indexedTo(await world.provider.getBlockNumber())
    // not final: these changes are not exported, and read from the chain after an import
    await mined(nft.setMetadataState(ordered.nft, owner, 4))
    await world.indexed(await mined(nft.setMetadataState(revoked.nft, owner, 0)))
    const done = await index(sqlite(settings().STATE_DIR as string), 'export', file)
    expect(done).toMatchObject({ status: 0, stderr: '' })
    exported = JSON.parse(done.stdout)
    lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')
  })
  afterAll(async () => {
    await world.close()
    await server.close()
    rmSync(folder, { recursive: true })
  })

  const settings = () => world.local.app.context.settings
  const sqlite = (folder: string): Database => ({ kind: 'embedded', folder })
  async function empty(kind: Database['kind']): Promise<Database> {
    const name = `db_${++at}`
    if (kind === 'embedded') return sqlite(join(folder, name))
    await onPostgres(server.url(), `CREATE DATABASE ${name}`)
    return { kind, url: server.url(name) }
  }
  const environment = (place: Database, changed: Record<string, string> = {}) =>
    world.beside({
      ...(place.kind === 'postgres'
        ? { DATABASE_URL: place.url, STATE_DIR: join(folder, `${new URL(place.url).pathname.slice(1)}-marker`) }
        : { STATE_DIR: place.folder }),
      ...changed,
    })
  /** Runs `tidegate index …` with --json. */
  const index = (place: Database, ...args: string[]) => runHere(['index', ...args, '--json'], environment(place))
  const nodeUrl = ({ url }: RpcProxy) => JSON.stringify({ [world.network.chainId]: url })

  async function publishPlain(nft: InstanceType<typeof ocean.Nft>, address: string, ddo: string) {
    const data = ethers.utils.hexlify(ethers.utils.toUtf8Bytes(ddo))
    await mined(nft.setMetadata(address, publisher.address, 0, '', '', '0x00', data, `0x${ocean.getHash(ddo)}`))
  }

  /** Writes a file with other lines, and if they are sealed with a digest that fits. */
  function written(changed: string[], { sealed = true } = {}): string {
    const path = join(folder, `changed-${++at}.gz`)
    const body = changed.slice(0, -1)
    const sha256 = createHash('sha256')
      .update(body.map((line) => `${line}\n`).join(''))
      .digest('hex')
    const last = sealed ? [JSON.stringify({ kind: 'end', sha256 })] : changed.slice(-1)
    writeFileSync(path, gzipSync([...body, ...last].map((line) => `${line}\n`).join('')))
    return path
  }
  /** A file with one row changed: the first one of a kind that has what is wanted. */
  function tampered(kind: 'nft' | 'datatoken' | 'metadata', wanted: (row: Fields) => boolean, change: Fields): string {
    const number = lines.findIndex((line) => {
      const row = (JSON.parse(line) as Row)[kind]
      return row !== undefined && wanted(row)
    })
    const row = JSON.parse(lines[number] as string) as Row
    return written(lines.with(number, JSON.stringify({ ...row, [kind]: { ...row[kind], ...change } })))
  }
  const tamperedHeader = (change: Fields) =>
    written(lines.with(0, JSON.stringify({ ...JSON.parse(lines[0] as string), ...change })))

  /** Every row of the live index of a database, and what can be searched, without what differs between databases. */
  async function tables(place: Database): Promise<Record<string, unknown[]>> {
    const snapshot = await openSnapshot(place)
    try {
      const live = `(SELECT id FROM index_reading WHERE role = 'live')`
      const all = async (columns: string, from: string) =>
        (await snapshot.run({ text: `SELECT ${columns} FROM ${from} ORDER BY 1, 2, 3`, values: [] })).rows.map(
          (row) => ({ ...row }),
        )
      return {
        nfts: await all('address, name, symbol, token_uri, owner, created', `index_nft WHERE chain_id = ${live}`),
        datatokens: await all(
          'address, nft, name, symbol, orders, position',
          `index_datatoken WHERE chain_id = ${live}`,
        ),
        assets: await all(
          'nft, did, state, ddo, reason, encrypted, tx_id, block, sender, timestamp',
          `index_asset WHERE chain_id = ${live}`,
        ),
        search: await all(
          'd.nft, v.path, v.num, v.txt',
          `search_value v JOIN search_document d ON d.id = v.doc WHERE d.chain_id = ${live}`,
        ),
        cursor: await all('block, hash, 1 AS one', `index_cursor WHERE chain_id = ${live}`),
      }
    } finally {
      await snapshot.close()
    }
  }

  /** A follower of the chain on a database, as a service has one. */
  function followerOn(store: StateStore, onRollback: (chainId: number, block: number) => void = () => undefined) {
    const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
    const options = { blockRange: 1000, concurrency: 4, pollInterval: 10, documents: world.local.app.context.documents }
    return new ChainFollower(chain(), store.index, { ...options, reorgDepth: REORG_DEPTH, onRollback }, silent)
  }
  /** Follows the chain to its head, and deletes rows of obsolete generations. */
  const toHead = (follower: ChainFollower, store: StateStore) =>
    eventually(
      async () => {
        await follower.step()
        const { live, old } = await store.index.generations(world.network.chainId)
        return live?.cursor.block === (await world.provider.getBlockNumber()) && !old
      },
      undefined,
      1,
    )
  const follow = (place: Database) => using(place, (store) => toHead(followerOn(store), store))
  function chain(): Chain {
    const found = world.local.app.context.chains.get(world.network.chainId)
    if (!found) throw new Error('The service does not serve the chain.')
    return found
  }
  async function using(place: Database, work: (store: StateStore) => Promise<unknown>): Promise<void> {
    const store =
      place.kind === 'postgres'
        ? await openPostgresStore({ url: place.url, connections: 4, timeout: 60_000 })
        : openSqliteStore((place as { folder: string }).folder)
    await work(store)
    await store.close()
  }
  const own = () => sqlite(settings().STATE_DIR as string)
  /** Checks a file as the command does before it writes anything. */
  async function checked(path: string, sample = 0, of = chain()): Promise<Checked> {
    const { header, rows } = await openIndexFile(path)
    await rows.return('')
    await checkHeader(header, of)
    const { documents } = world.local.app.context
    return checkFile(path, { chain: of, documents, maxDocument: settings().MAX_DDO_SIZE, sample, seed: 1 })
  }
  const refusal = ({ status, stdout, stderr }: Ended) => {
    expect([status, stderr.split('\n').filter((line) => line.startsWith('tidegate: '))]).toEqual([
      1,
      [expect.anything()],
    ])
    const { code, message } = JSON.parse(stdout).error as Record<string, string>
    expect(stderr).toContain(`tidegate: ${message}`)
    return [code, message]
  }

  it('exports what is final and public, from a service that runs', async () => {
    const head = await world.provider.getBlockNumber()
    const header = JSON.parse(lines[0] as string)
    expect(header).toMatchObject({
      ...{ format: 'tidegate-index', version: 1, chainId: world.network.chainId },
      factory: world.network.addresses.ERC721Factory,
      counts: { nfts: 5, datatokens: 5, assets: 4 },
    })
    expect(head - header.checkpoint.block).toBeGreaterThanOrEqual(REORG_DEPTH - 1)
    expect((await world.provider.getBlock(header.checkpoint.block)).hash).toBe(header.checkpoint.hash)
    expect(exported).toMatchObject({
      file,
      checkpoint: header.checkpoint,
      ...header.counts,
      bytes: statSync(file).size,
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const rows = lines.slice(1, -1).map((line) => JSON.parse(line) as Row)
    const assets = new Map(rows.flatMap(({ metadata }) => (metadata ? [[metadata.nft, metadata] as const] : [])))
    // as of the checkpoint
    expect([assets.get(ordered?.nft)?.state, assets.get(revoked?.nft)?.state]).toEqual([0, 3])
    // encrypted documents are decrypted in the index, and left out of the file
    expect(assets.get(ordered?.nft)).toMatchObject({ ddo: null, reason: null, encrypted: true })
    expect(assets.get(plain?.nft)).toMatchObject({ ddo: expect.stringContaining('Höhen'), encrypted: false })
    expect(gunzipSync(readFileSync(file)).toString()).not.toContain(ordered?.ddo.services[0]?.files as string)
    const again = await index(own(), 'export', file)
    expect(again).toMatchObject({ status: 2, stderr: expect.stringContaining('replace it with --force') })
    expect((await index(own(), 'export', file, '--force')).status).toBe(0)
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([])
  })

  it.each([
    ['embedded', 'postgres'],
    ['postgres', 'embedded'],
  ] as const)('imports into %s, and from there into %s: equal to an index that was read', async (one, other) => {
    const [first, second] = [await empty(one), await empty(other)]
    const done = await index(first, 'import', file, '--sample', 'all', '--seed', '7')
    expect([done.status, done.stderr]).toEqual([0, expect.stringContaining('checking')])
    expect(JSON.parse(done.stdout)).toEqual({
      ...{ chainId: world.network.chainId, checkpoint: exported.checkpoint, nfts: 5, datatokens: 5, assets: 4 },
      ...{ read: 3, sampled: 5, complete: true, seed: 7, sha256: exported.sha256 },
    })
    // the same rows give the same lines, whatever the database
    const copy = join(folder, `copy-${++at}.gz`)
    const exportedAgain = await index(first, 'export', copy)
    expect(exportedAgain).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(exportedAgain.stdout).sha256).toBe(exported.sha256)
    expect((await index(second, 'import', copy)).status).toBe(0)
    const expected = await tables(own())
    for (const place of [first, second]) {
      await follow(place)
      expect(await tables(place)).toEqual(expected)
      expect((await runHere(['state', 'check'], environment(place))).stdout).not.toContain('FAIL')
    }
  })

  it.each(
    KINDS,
  )('replaces an index on %s that is still behind, while it is followed, and none that is ahead', async (kind) => {
    const place = await empty(kind)
    const { chainId } = world.network
    await using(place, async (leader) => {
      for (let block = 0; block < 2; block++)
        await leader.index.commit({
          ...{ chainId, from: await leader.index.cursor(chainId), changes: [] },
          to: { block, hash: (await world.provider.getBlock(block)).hash as Hex },
        })
      await using(place, async (store) => {
        const rollbacks: number[] = []
        const follower = followerOn(store, (_, block) => rollbacks.push(block))
        // another instance leads, and has stopped reading for now
        expect(await leader.index.tryLead(chainId)).toBe(true)
        await follower.step()
        expect(follower.progress.block).toBe(1)
        // as another process, of those that share the database
        const imported = await runCommand(['index', 'import', file, '--sample', '2'], environment(place))
        expect(imported.status).toBe(0)
        expect((await store.index.generations(chainId)).live?.cursor).toEqual(exported.checkpoint)
        await leader.close()
        await toHead(follower, store)
        expect(rollbacks).toEqual([-1])
      })
    })
    expect(await tables(place)).toEqual(await tables(own()))
    const again = await index(place, 'import', file, '--sample', '0')
    expect(again).toMatchObject({ status: 2, stderr: expect.stringMatching(/has read up to block \d+ already/) })
    expect(await valueIn(place, `SELECT count(*) AS n FROM index_reading`)).toBe(1)
  })

  it.each(KINDS)('is imported again after a kill -9 in the middle, on %s', async (kind) => {
    const place = await empty(kind)
    const proxy = await RpcProxy.before(world.network.rpcUrl)
    // the documents of the last batch never come
    proxy.refuse = (method) => {
      if (method === 'eth_getLogs') proxy.delay = 1e9
      return undefined
    }
    const running = startCommand(
      ['index', 'import', file, '--sample', '0'],
      environment(place, { NETWORK_URL: nodeUrl(proxy) }),
    )
    await eventually(() => proxy.calls.includes('eth_getLogs'))
    const roles = `SELECT role FROM index_reading`
    expect(await valueIn(place, roles)).toBe('import')
    const other = await index(place, 'import', file, '--sample', '0')
    expect(other).toMatchObject({ status: 2, stderr: expect.stringContaining('another import of chain') })
    await running.kill()
    proxy.close()
    await using(place, async (store) => expect(await store.index.chains()).toEqual([]))
    // the lease of the one that was killed ends with its session
    await eventually(async () => (await index(place, 'import', file, '--sample', '0')).status === 0)
    await follow(place)
    expect(await tables(place)).toEqual(await tables(own()))
    expect(await valueIn(place, 'SELECT count(*) AS n FROM index_reading')).toBe(1)
  })

  describe('a changed row, whose digest fits', () => {
    const ofOrdered = ({ nft }: Fields) => nft === ordered?.nft
    const ofPlain = ({ nft }: Fields) => nft === plain?.nft
    const another = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
    it.each<[string, 'nft' | 'datatoken' | 'metadata', (row: Fields) => boolean, (row: Published) => Fields]>([
      ['nft', 'nft', () => true, () => ({ name: 'Another' })],
      ['nft', 'nft', () => true, () => ({ owner: another })],
      ['nft', 'nft', () => true, () => ({ created: '2001-01-01T00:00:00Z' })],
      ['datatokens', 'datatoken', ofOrdered, () => ({ orders: 3 })],
      ['datatokens', 'datatoken', ofOrdered, () => ({ symbol: 'X' })],
      ['datatokens', 'datatoken', ofOrdered, () => ({ address: another })],
      ['metadata.state', 'metadata', ({ nft }) => nft === revoked?.nft, () => ({ state: 0 })],
      ['metadata.txId', 'metadata', ofOrdered, () => ({ txId: `0x${'1'.repeat(64)}` })],
      ['metadata.block', 'metadata', ofOrdered, () => ({ block: (exported.checkpoint as { block: number }).block })],
      ['metadata.from', 'metadata', ofOrdered, () => ({ from: another })],
      ['metadata.timestamp', 'metadata', ofOrdered, () => ({ timestamp: 1 })],
      ['metadata.ddo', 'metadata', ofPlain, ({ ddo }) => ({ ddo: JSON.stringify(ddo) })],
    ])('is found by comparing all with the chain: %s of %s', async (field, kind, wanted, change) => {
      const path = tampered(kind, wanted, change(plain as Published))
      await expect(checked(path, Number.POSITIVE_INFINITY)).rejects.toMatchObject({
        name: 'IndexFileError',
        message: expect.stringMatching(new RegExp(`^NFT 0x[0-9a-fA-F]{40}, ${field}: is not what the chain has\\.$`)),
      })
    })

    it('is found in its own block, where the nodes give few blocks at once', async () => {
      const proxy = await RpcProxy.before(world.network.rpcUrl)
      proxy.maxRange = 1
      const nodes = new ChainNodes(world.network.chainId, [new URL(proxy.url)], { timeout: 60_000, agreement: 1 })
      const limited = { ...chain(), nodes }
      expect(await checked(file, 5, limited)).toMatchObject({ sampled: 5, complete: false })
      const changed = tampered('metadata', ofPlain, { timestamp: 1 })
      await expect(checked(changed, 5, limited)).rejects.toThrow('metadata.timestamp: is not what the chain has')
      // all of it is read, however many requests that takes
      proxy.maxRange = 20
      expect(await checked(file, Number.POSITIVE_INFINITY, limited)).toMatchObject({ sampled: 5, complete: true })
      proxy.close()
    })

    it('is refused by the command in one line, and nothing is written', async () => {
      const place = await empty('embedded')
      const path = tampered('nft', () => true, { symbol: 'X' })
      const [code, message] = refusal(await index(place, 'import', path, '--sample', 'all'))
      expect([code, message]).toEqual(['INDEX_FILE', expect.stringMatching(`^${path}: NFT .*, nft: is not what`)])
      expect(existsSync((place as { folder: string }).folder)).toBe(false)
    })
  })

  it.each<[string, () => string, RegExp]>([
    ['another format', () => tamperedHeader({ format: 'zip' }), /line 1, format: must be tidegate-index/],
    ['another version', () => tamperedHeader({ version: 2 }), /line 1, version: must be 1: .* another version/],
    ['another decoder', () => tamperedHeader({ decoder: 99 }), /line 1, decoder: must be 1: .* another version/],
    [
      'another factory',
      () => tamperedHeader({ factory: '0x5FbDB2315678afecb367f032d93F642f64180aa3' }),
      /line 1, factory: is not that/,
    ],
    ['a later start', () => tamperedHeader({ startBlock: 9 }), /line 1, startBlock: is after the first block/],
    [
      'another history',
      () => tamperedHeader({ checkpoint: { ...(exported.checkpoint as Fields), hash: `0x${'1'.repeat(64)}` } }),
      /line 1, checkpoint.hash: the chain has another block there/,
    ],
    [
      'the future',
      () => tamperedHeader({ checkpoint: { ...(exported.checkpoint as Fields), block: 1_000_000 } }),
      /line 1, checkpoint.block: is not known to the nodes/,
    ],
    [
      'too few rows',
      () => tamperedHeader({ counts: { nfts: 6, datatokens: 5, assets: 4 } }),
      /line 1, counts.nfts: is not the number/,
    ],
    ['a row twice', () => written(lines.toSpliced(1, 0, lines[1] as string)), /line 3, nft.address: occurs twice/],
    [
      'rows out of order',
      () => written([lines[0], ...lines.slice(1, -1).reverse(), lines.at(-1)] as string[]),
      /line \d+, \S+: must be the NFT before it/,
    ],
    [
      'a row more',
      () =>
        written(
          lines.toSpliced(
            -1,
            0,
            (lines[1] as string).replace(/0x[0-9a-fA-F]{40}/, '0xffFfffFfFFfFfFFffFffFFFFFFfffFFfFfFFffff'),
          ),
        ),
      /line \d+, nft.address: must be an address with its checksum/,
    ],
    ['a damaged row', () => written(lines.with(2, '{"kind":')), /line 3: is not JSON text/],
    [
      'an unknown kind',
      () => written(lines.with(2, '{"kind":"nonce"}')),
      /line 3, kind: must be nft, datatoken, asset or end/,
    ],
    ['deep JSON', () => written(lines.with(2, '['.repeat(100_000))), /line 3: is nested deeper than 3 levels/],
    ['no end', () => written(lines.slice(0, -1), { sealed: false }), /its last line is missing/],
    [
      'a wrong digest',
      () => written(lines.with(-1, JSON.stringify({ kind: 'end', sha256: '0'.repeat(64) })), { sealed: false }),
      /sha256: is not that of the lines before it/,
    ],
    ['more after the end', () => written([...lines, ...lines], { sealed: false }), /must not come after the end/],
    ['half of a file', () => cut(0.5), /the file is cut off/],
    ['a damaged file', () => damaged(), /the file is not compressed by gzip, or is damaged/],
    ['no compression', () => uncompressed(), /the file is not compressed by gzip, or is damaged/],
    ['an endless line', () => bomb('x'), /line 1: must not be longer than/],
    ['endless lines', () => bomb('\n'), /line 1: is not JSON text/],
    [
      'a document that is none',
      () => tampered('metadata', ({ ddo }) => ddo !== null, { ddo: '{}' }),
      /metadata.ddo: is not a valid DDO/,
    ],
    [
      'the document of another NFT',
      () => tampered('metadata', ({ ddo }) => ddo !== null, { ddo: JSON.stringify(ordered?.ddo) }),
      /metadata.ddo: is the DDO of another data NFT/,
    ],
  ])('refuses a file of %s', async (_, make, reason) => {
    const path = make()
    await expect(checked(path)).rejects.toMatchObject({
      name: 'IndexFileError',
      message: expect.stringMatching(
        new RegExp(`^(?:the file is cut off: |line \\d+(?:, |: ))?(?:${reason.source}).*\\.$`),
      ),
    })
    rmSync(path)
  })

  function raw(bytes: Uint8Array): string {
    const path = join(folder, `raw-${++at}.gz`)
    writeFileSync(path, bytes)
    return path
  }
  const cut = (part: number) => raw(readFileSync(file).subarray(0, statSync(file).size * part))
  const uncompressed = () => raw(Buffer.from(lines.join('\n')))
  function damaged(): string {
    const bytes = readFileSync(file)
    // the checksum at its end
    bytes.fill(0xff, bytes.length - 8)
    return raw(bytes)
  }
  /** More megabytes of one character than a line may have. */
  const bomb = (character: string) => raw(gzipSync(Buffer.alloc(1.1 * BOUNDS.indexFile.line, character), { level: 1 }))

  it('runs as documented on the page for operators', async () => {
    const printed = page('docs/operations.md')
      .blocks.filter(({ language, text }) => language === 'sh' && text.includes('cli.js index'))
      .flatMap(({ text }) => text.trim().split('\n'))
    expect(printed).toEqual(['node dist/cli.js index export index.gz', 'node dist/cli.js index import index.gz'])
    const cwd = join(folder, 'as-printed')
    mkdirSync(cwd)
    for (const [at, line] of printed.entries()) {
      const env = { PATH: process.env.PATH, ...environment(at === 0 ? own() : sqlite(join(cwd, 'new'))) }
      const command = line.replace('node dist/cli.js', [process.execPath, ...program()].join(' '))
      const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd, env })
      const counted = '5 NFTs, 5 datatokens, 4 assets'
      expect(stdout).toMatch(
        new RegExp(`^the index of chain \\d+ .*${counted}[^]*SHA-256 of its lines: [0-9a-f]{64}\n$`),
      )
    }
  })

  it('refuses wrong usage', async () => {
    const place = await empty('embedded')
    const missing = await index(place, 'import', join(folder, 'none.gz'))
    expect(missing).toMatchObject({ status: 2, stderr: expect.stringContaining('none.gz does not exist') })
    expect((await index(place, 'import', folder)).stderr).toContain('is not a regular file')
    const [code, message] = refusal(await index(place, 'import', tamperedHeader({ chainId: 1 })))
    expect([code, message]).toEqual(['INDEX_FILE', expect.stringContaining('line 1, chainId: chain 1 is not among')])
    expect(await index(place, 'import', file, '--sample', '-1')).toMatchObject({ status: 2 })
    expect(await index(place, 'import', file, '--seed', 'x')).toMatchObject({ status: 2 })
    expect((await index(place, 'export', join(folder, 'new.gz'))).status).toBe(2)
    expect((await index(own(), 'export', join(folder, 'new.gz'), '--chain', '5')).stderr).toContain(
      'chain 5 is not in the index',
    )
    expect(existsSync(join(folder, 'new.gz'))).toBe(false)
  })
})
