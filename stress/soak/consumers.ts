import type { ethers } from 'ethers'
import { freshNonce, signatureOf } from '../../test/helpers/requests.js'
import { type Action, Consumers, type Target } from '../torture/consumers.js'
import type { Deployment } from '../torture/deployment.js'
import type { Received } from '../torture/lib/http.js'
import { judgeFile, judgeRefusal } from '../torture/lib/judge.js'
import type { Outcome } from '../torture/lib/ledger.js'
import type { Random } from '../torture/lib/random.js'
import type { Buyer, TortureWorld } from '../torture/world.js'
import { crawl } from './crawl.js'
import type { Pace } from './pace.js'
import type { UnderWay } from './under-way.js'

const JSON_BODY = { 'content-type': 'application/json' }
/** Maximum milliseconds between two reads of a consumer that crawls. */
const CRAWL = 60
/** Probability that a request for the large file is not replaced by one for a small file. */
const LARGE = 0.08
/** Probability that a purchase is made: it costs the chain three blocks. */
const PURCHASE = 0.15

/** The consumers of the torture, at a fixed rate, and with everything else that consumers ask for. */
export class SoakConsumers extends Consumers {
  /** Orders made during the run. */
  purchases = 0

  constructor(
    world: TortureWorld,
    random: Random,
    private readonly steady: Pace,
    private readonly underWay: UnderWay,
    /** Pays for new orders. */
    private readonly payer: ethers.Wallet,
  ) {
    super(world, random)
  }

  override start(): void {
    this.steady.begin()
    super.start()
  }

  protected override actions(buyer: Buyer, tokens: Map<Deployment, string>): [weight: number, action: Action][] {
    return [
      ...super.actions(buyer, tokens),
      [3, (at) => this.nonce(at, buyer)],
      [2, (at) => this.link(at, buyer)],
      [2, (at) => this.search(at)],
      [1, (at) => this.document(at)],
      [1, (at) => this.encrypt(at)],
      [1, (at) => this.crawlingDownload(at, buyer, tokens)],
      [1, (at) => this.purchase(at, buyer)],
    ]
  }

  protected override pace(): Promise<void> {
    return this.steady.next()
  }

  protected override expect(what: string): () => boolean {
    const begun = Date.now()
    return () => this.underWay.hadToPass(what, begun)
  }

  /** Mostly a small file, so that the rate is one of requests and not of bytes. */
  protected override target(): Target | undefined {
    const at = super.target()
    if (at?.sold.name !== 'large' || this.random.chance(LARGE)) return at
    return { ...at, sold: this.world.file('small') }
  }

  /** Judges a response that is JSON, by what `isRight` says of it. */
  private judge(what: string, got: Received, isRight: (json: never) => boolean): Outcome {
    const { ledger } = this.world
    if (got.status >= 400) return judgeRefusal(what, got, ledger)
    ledger.checkResponse(what, got, false)
    if (got.status === 0 || !got.complete) return 'broken'
    const text = got.body.toString()
    if (got.status < 300 && isRight(JSON.parse(text) as never)) return 'ok'
    ledger.addFinding(`${what}: an unexpected response, ${got.status} ${text.slice(0, 300)}`)
    return 'broken'
  }

  /** The last nonce, at any instance: not below one that was accepted before. */
  private async nonce(at: Target, { key }: Buyer): Promise<void> {
    const known = this.world.ledger.highestOn(at.deployment.kind).find(([address]) => address === key.address)
    await this.record('nonce', at, false, async (get) => {
      const got = await get(`${at.seat.instance.url}/api/services/nonce?userAddress=${key.address}`)
      return this.judge('nonce', got, ({ nonce }: { nonce: number | null }) => BigInt(nonce ?? 0) >= (known?.[1] ?? 0n))
    })
  }

  /** A link, which is used twice, at any instance. */
  private async link(at: Target, buyer: Buyer): Promise<void> {
    const { ledger } = this.world
    const nonce = freshNonce()
    const signature = signatureOf(buyer.key, `${buyer.key.address}${nonce}downloadLink`)
    const query = this.requests.path(at.sold, buyer, { nonce, signature }).split('?')[1]
    const params = Object.fromEntries(new URLSearchParams(query))
    let url: URL | undefined
    await this.record('download link', at, false, async (get) => {
      const options = { method: 'POST', headers: JSON_BODY, body: JSON.stringify(params) }
      const got = await get(`${at.seat.instance.url}/api/services/download/link`, options)
      return this.judge('download link', got, (json: { url: string }) => {
        ledger.recordNonce(at.deployment.kind, buyer.key.address, nonce)
        url = new URL(json.url)
        return true
      })
    })
    if (!url) return
    for (const seat of at.deployment.seats.filter(({ up }) => up))
      await this.record('download by a link', { ...at, seat }, true, async (get) =>
        judgeFile('download by a link', await get(`${seat.instance.url}${url?.pathname}`), at.sold, ledger),
      )
  }

  private async search(at: Target): Promise<void> {
    const dids = this.world.sold.filter(({ name }) => name !== 'victim').map(({ asset }) => asset.did)
    const body = JSON.stringify({ query: { match: { 'metadata.name': 'tide' } }, size: 100 })
    await this.record('search', at, false, async (get) => {
      const options = { method: 'POST', headers: JSON_BODY, body }
      const got = await get(`${at.seat.instance.url}/api/aquarius/assets/query`, options)
      return this.judge('search', got, ({ hits, _shards }: Hits) => {
        const found = new Set(hits.hits.map(({ _id }) => _id))
        // of a chain whose index is not current nothing is found, and it says so
        return _shards.successful < _shards.total || dids.every((did) => found.has(did))
      })
    })
  }

  private async document(at: Target): Promise<void> {
    const { did } = at.sold.asset
    await this.record('document', at, false, async (get) => {
      const got = await get(`${at.seat.instance.url}/api/aquarius/assets/ddo/${did}`)
      return this.judge('document', got, ({ id }: { id: string }) => id === did)
    })
  }

  private async encrypt(at: Target): Promise<void> {
    const { chainId } = this.world.world.network
    const files = [{ type: 'url', url: `http://127.0.0.1/${this.random.next()}.csv`, method: 'GET' }]
    const { nft, datatoken } = at.sold.asset
    const body = JSON.stringify({ nftAddress: nft, datatokenAddress: datatoken, files })
    await this.record('encrypt', at, false, async (get) => {
      const headers = { 'content-type': 'application/octet-stream' }
      const path = `/api/services/encrypt?chainId=${chainId}`
      const got = await get(at.seat.instance.url + path, { method: 'POST', headers, body })
      const hex = JSON.stringify(got.body.toString())
      return this.judge('encrypt', got.status < 400 ? { ...got, body: Buffer.from(hex) } : got, (text: string) =>
        /^0x[0-9a-f]{200,}$/.test(text),
      )
    })
  }

  private crawlingDownload(at: Target, buyer: Buyer, tokens: Map<Deployment, string>): Promise<void> {
    return this.withToken(at, buyer, tokens, async (headers, path) => {
      await this.record('download, crawling', at, true, async () => {
        const got = await crawl(at.seat.instance.url + path, headers, this.random.below(CRAWL))
        return judgeFile('download, crawling', got, at.sold, this.world.ledger)
      })
    })
  }

  /** A new order, which is used at once. Not while the chain is reorganised, which would take it back. */
  private async purchase(at: Target, buyer: Buyer): Promise<void> {
    if (!this.random.chance(PURCHASE) || this.underWay.now.some(({ kind }) => kind === 'chain')) return
    const { key, orders } = buyer
    const { asset, name } = at.sold
    orders.set(name, await this.world.onChain(() => this.world.world.order(asset, this.payer, key.address)))
    this.purchases += 1
    await this.record('download with a new order', at, true, async (get) => {
      const nonce = freshNonce()
      const proof = { nonce, signature: signatureOf(key, asset.did + nonce) }
      const got = await get(at.seat.instance.url + this.requests.path(at.sold, buyer, proof))
      if (got.status === 200) this.world.ledger.recordNonce(at.deployment.kind, key.address, nonce)
      return judgeFile('download with a new order', got, at.sold, this.world.ledger)
    })
  }
}

interface Hits {
  hits: { hits: { _id: string }[] }
  _shards: { total: number; successful: number }
}
