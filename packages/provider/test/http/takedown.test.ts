import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Wallet } from 'ethers'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { runHere } from '../../../../test/helpers/command-here.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { metricOf } from '../../../../test/helpers/measures.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { type Answer, ask, askJson, downloadUrl, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { idOf, tokenOf, upload } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'

const CONTACT = 'legal@market.example.org'
const UNKNOWN = `did:op:${'ab'.repeat(32)}`

/** Answers a request of a loop: one at the very moment when its asset is withheld is cut. */
const now = <T>(answer: Promise<T>): Promise<T | undefined> => answer.catch(() => undefined)

/** Assets that the operator takes down while the service runs, and those in purgatory. */
describe('withheld assets', () => {
  const folder = newFolder()
  const purgatory = join(folder, 'purgatory.json')
  let world: World
  let base: string
  let publisher: Wallet
  let buyer: Wallet
  let asset: Published
  let other: Published
  let order: string
  let own: string
  let shared: string

  beforeAll(async () => {
    writeFileSync(purgatory, '[]')
    world = await World.start({
      ...{ CATALOGUE: 'public', MCP: 'on', METRICS_PORT: '0', OPERATOR_CONTACT: CONTACT },
      ...{ PURGATORY_ASSETS: purgatory, PURGATORY_INTERVAL: '100' },
    })
    base = world.network.providerUrl
    publisher = await world.somebody()
    const auth = await tokenOf(base, publisher)
    const sample = async (filename: string) => {
      const url = await upload(base, Buffer.from(filename), auth, { metadata: { filename, public: '' } })
      return `${base}/api/services/public/${idOf(url)}/${filename}`
    }
    ;[own, shared] = [await sample('own.md'), await sample('shared.md')]
    const publish = (name: string, links: string[]) =>
      world.publishUrl(world.storage.file(`/${name}.csv`, Buffer.from('tide')), {
        publisher,
        adjust: ({ metadata }) => Object.assign(metadata, { name, links }),
      })
    asset = await publish('Sandpiper', [own, shared])
    other = await publish('Dunlin', [shared])
    buyer = await world.somebody()
    order = await world.order(asset, buyer)
  })

  afterEach(async () => {
    for (const { did } of [asset, other]) await tidegate('undo', did)
    writeFileSync(purgatory, '[]')
  })

  const tidegate = (...args: string[]) => {
    const { STATE_DIR } = world.local.app.context.settings
    return runHere(['takedown', ...args], world.beside({ STATE_DIR }))
  }
  const search = (path: string, body: object) => askJson(`${base}/api/aquarius/assets/${path}`, body)
  const tool = (name: string, args: object) =>
    askJson(`${base}/mcp`, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })

  /** All that the service may tell of an asset to somebody who names it. */
  async function named(of: Published): Promise<[name: string, status: number, text: string][]> {
    const { did, nft } = of
    const serviceId = of.ddo.services[0]?.id as string
    const nonce = freshNonce()
    const signature = await signText(publisher, of.txId + publisher.address + world.network.chainId + nonce)
    const linkNonce = freshNonce()
    const link = {
      ...{ documentId: did, serviceId, fileIndex: 0, transferTxId: order, consumerAddress: buyer.address },
      ...{ nonce: linkNonce, signature: await signText(buyer, `${buyer.address}${linkNonce}downloadLink`) },
    }
    const quote = new URLSearchParams({ documentId: did, serviceId, consumerAddress: buyer.address })
    // in the order of their nonces
    const linked = await askJson(`${base}/api/services/download/link`, link)
    const downloaded = await ask(await downloadUrl(base, of, order, buyer))
    const archived = await ask(`${(await downloadUrl(base, of, order, buyer)).replace(/fileIndex=0/, 'archive=zip')}`)
    const answers = {
      document: ask(`${base}/api/aquarius/assets/ddo/${did}`),
      metadata: ask(`${base}/api/aquarius/assets/metadata/${did}`),
      page: ask(`${base}/asset/${did}`),
      ...Object.fromEntries(
        ['schema.org', 'croissant', 'dcat'].map((format) => [
          format,
          ask(`${base}/api/catalogue/${did}?format=${format}`),
        ]),
      ),
      fileinfo: askJson(`${base}/api/services/fileinfo`, { did, serviceId }),
      initialize: ask(`${base}/api/services/initialize?${quote}`),
      download: downloaded,
      archive: archived,
      link: linked,
      decrypt: askJson(`${base}/api/services/decrypt`, {
        ...{ decrypterAddress: publisher.address, chainId: world.network.chainId, dataNftAddress: nft },
        ...{ transactionId: of.txId, nonce, signature },
      }),
      sample: ask(own),
    }
    const entries = Object.entries<Answer | Promise<Answer>>(answers)
    return Promise.all(entries.map(async ([name, answer]) => [name, (await answer).status, (await answer).text]))
  }

  /** Each list and search in which the asset is. */
  async function listedIn({ did }: Published): Promise<string[]> {
    const answers = {
      query: search('query', { query: { match: { 'metadata.name': 'Sandpiper' } } }),
      ids: search('query', { query: { ids: { values: [did] } } }),
      documents: search('metadata/query', { query: { match_all: {} } }),
      node: search('metadata/query', { index: 'op_ddo_v4.1.0', query: { match_all: {} } }),
      names: search('names', { didList: [did] }),
      mcp: tool('search_assets', { text: 'Sandpiper' }),
      catalogue: ask(`${base}/catalogue`),
      dcat: ask(`${base}/catalogue.jsonld`),
      sitemap: ask(`${base}/sitemap-1.xml`),
    }
    const found = await Promise.all(
      Object.entries(answers).map(async ([name, answer]) => ((await answer).text.includes(did) ? [name] : [])),
    )
    return found.flat()
  }
  const LISTS = ['query', 'ids', 'documents', 'node', 'names', 'mcp', 'catalogue', 'dcat', 'sitemap']

  it('an asset that is taken down is found, described, sold and delivered nowhere until that ends', async () => {
    const link = (await named(asset)).find(([name]) => name === 'link')
    const { url } = JSON.parse(link?.[2] as string) as { url: string }
    expect((await named(asset)).map(([name, status]) => [name, status < 300])).toEqual(
      (await named(asset)).map(([name]) => [name, true]),
    )
    expect(await listedIn(asset)).toEqual(LISTS)
    const done = await tidegate(asset.did, '--reason', 'court order')
    expect([done.stderr, done.stdout, done.status]).toEqual(['', `${asset.did} is taken down: court order\n`, 0])
    // searches read the database, so that no second passes
    expect(await listedIn(asset)).toEqual([])
    await eventually(async () => (await now(named(asset)))?.every(([, status]) => status === 451))
    for (const [name, , text] of await named(asset)) {
      expect([name, text.includes(CONTACT), text.includes('court order')]).toEqual([name, true, true])
      if (name !== 'page') expect(JSON.parse(text).code, name).toBe('TAKEN_DOWN')
      expect(text, name).not.toContain('Sandpiper')
    }
    for (const method of ['GET', 'HEAD']) expect((await ask(url, { method })).status).toBe(451)
    expect((await tool('describe_asset', { did: asset.did })).text).not.toContain('Sandpiper')
    expect((await ask(shared)).text).toBe('shared.md')
    expect(await listedIn(other)).toContain('documents')
    const metrics = world.local.app.metricsUrl as string
    expect(await metricOf(metrics, 'tidegate_takedowns')).toBe(1)
    expect((await ask(`${metrics}/metrics`)).text).toContain(`{did="${asset.did}"}`)
    expect((await tidegate('undo', asset.did)).stdout).toBe(`${asset.did} is served again\n`)
    expect(await listedIn(asset)).toEqual(LISTS)
    await eventually(async () => (await now(named(asset)))?.every(([, status]) => status < 300))
    expect((await ask(`${metrics}/metrics`)).text).not.toContain(asset.did)
  })

  it('a public file is withheld with the last of the assets that use it', async () => {
    await tidegate(asset.did)
    await tidegate(other.did)
    await eventually(async () => (await now(ask(shared)))?.status === 451)
    await tidegate('undo', other.did)
    await eventually(async () => (await now(ask(shared)))?.status === 200)
    await eventually(async () => (await now(ask(own)))?.json.code === 'TAKEN_DOWN')
  })

  it('a buyer keeps the receipt and the list of orders', async () => {
    await tidegate(asset.did)
    await eventually(async () => (await now(ask(`${base}/asset/${asset.did}`)))?.status === 451)
    const environment = {
      ...{ TIDEGATE_PROVIDER: base, TIDEGATE_RPC: world.network.rpcUrl },
      TIDEGATE_PRIVATE_KEY: buyer.privateKey,
    }
    for (const [command, ...args] of [['receipt', order], ['orders']] as const) {
      const { stdout, stderr, status } = await runHere([command, ...args, '--json'], environment)
      expect([command, status, stderr]).toEqual([command, 0, ''])
      expect(stdout).toContain(asset.did)
      expect(stdout).toContain(order)
    }
  })

  it('a transfer under way ends', async () => {
    const slow = world.storage.on('/slow.csv', (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('tide')
    })
    const sold = await world.sold(slow)
    const { body } = await fetch(await downloadUrl(base, sold.asset, sold.txId, sold.buyer))
    const reader = body?.getReader()
    expect((await reader?.read())?.value).toEqual(new Uint8Array(Buffer.from('tide')))
    await tidegate(sold.asset.did)
    await expect(reader?.read()).rejects.toThrow()
  })

  it('names what is wrong, repeats nothing, and lists what is taken down', async () => {
    for (const [args, field] of [
      [['did:op:1'], "argument 'did'"],
      [['undo', 'x'], "argument 'did'"],
      [[asset.did, '--reason', ' '], '--reason'],
      [[asset.did, '--reason', 'x'.repeat(201)], '--reason'],
      [[asset.did, '--reason', 'a\u001b[2Jb'], '--reason'],
    ] as const) {
      const { status, stderr } = await tidegate(...args)
      expect([status, stderr]).toEqual([2, expect.stringContaining(field)])
    }
    const unknown = await tidegate('undo', UNKNOWN)
    expect([unknown.status, unknown.stderr]).toEqual([1, `tidegate: ${UNKNOWN} is not taken down.\n`])
    const early = await tidegate(UNKNOWN)
    expect([early.status, early.stderr]).toEqual([0, expect.stringContaining('The index knows no such asset.')])
    expect((await ask(`${base}/api/aquarius/assets/ddo/${UNKNOWN}`)).status).toBe(451)
    const again = await tidegate(UNKNOWN.replace('op:', 'ope:'), '--reason', 'notice')
    expect(again.stdout).toContain('was already taken down: notice')
    const listed = (await tidegate('list', '--json')).stdout.trim().split('\n')
    expect(listed.map((line) => JSON.parse(line)).filter(({ did }) => did.endsWith(UNKNOWN.slice(-64)))).toEqual([
      { did: UNKNOWN.replace('op:', 'ope:'), since: expect.any(String), reason: 'notice' },
    ])
    expect((await tidegate('undo', UNKNOWN)).status).toBe(0)
  })

  it('a purgatory list that cannot be read stays in force, and shows in a metric', async () => {
    const metrics = world.local.app.metricsUrl as string
    const isUp = () => metricOf(metrics, 'tidegate_purgatory_up')
    writeFileSync(purgatory, JSON.stringify([{ did: asset.did, reason: 'stolen' }]))
    await eventually(
      async () => ((await now(ask(await downloadUrl(base, asset, order, buyer))))?.status ?? 200) !== 200,
    )
    expect(await isUp()).toBe(1)
    writeFileSync(purgatory, '[{')
    await eventually(async () => (await isUp()) === 0)
    expect((await ask(await downloadUrl(base, asset, order, buyer))).status).not.toBe(200)
    writeFileSync(purgatory, '[]')
    await eventually(async () => (await isUp()) === 1)
  })

  it('nothing of an asset in purgatory is delivered or called for sale, and front ends still find it', async () => {
    writeFileSync(purgatory, JSON.stringify([{ did: asset.did, reason: 'stolen' }]))
    await eventually(async () => (await now(ask(own)))?.status === 403)
    const refused = (await named(asset)).filter(([, status]) => status === 403)
    expect(refused.map(([name]) => name)).toEqual([
      ...['fileinfo', 'initialize', 'download', 'archive', 'link', 'sample'],
    ])
    for (const [name, , text] of refused) expect(JSON.parse(text).code, name).toBe('PURGATORY')
    // the own search of the client leaves it out
    expect(await listedIn(asset)).toEqual(['query', 'ids', 'documents', 'node', 'names'])
    const shown = await runHere(['show', asset.did, '--json', '--provider', base], {})
    expect(JSON.parse(shown.stdout)).toMatchObject({ state: 'active', blocked: 'stolen' })
  })
})
