import { freshNonce, signatureOf } from '../../test/helpers/requests.js'
import type { Deployment, Seat } from './deployment.js'
import { get, type RequestOptions } from './lib/http.js'
import { judgeDescription, judgeFile, judgeRefusal } from './lib/judge.js'
import type { Ledger, Outcome } from './lib/ledger.js'
import type { Buyer, Sold } from './world.js'

/** A signed request that passed, and must not pass again. */
export interface Used {
  deployment: Deployment
  path: string
  options?: RequestOptions
}

/** A request with a token that was deleted at an instance. */
export interface Deleted extends Used {
  at: Seat
}

/** A signed download. */
export interface Signed {
  nonce: string
  path: string
}

/** Builds and sends requests of buyers, and records those that passed. */
export class Requests {
  readonly used: Used[] = []
  readonly deleted: Deleted[] = []

  constructor(private readonly ledger: Ledger) {}

  /** Sends a signed download to an instance, as the check after a fault. */
  async probe(seat: Seat, deployment: Deployment, sold: Sold, buyer: Buyer): Promise<Outcome> {
    const signed = this.signed(sold, buyer)
    const got = await get(seat.instance.url + signed.path, { timeout: 15_000 })
    if (got.status === 200) this.recordPassed(deployment, buyer, signed)
    return judgeFile('probe', got, sold, this.ledger)
  }

  async describe(seat: Seat, sold: Sold): Promise<Outcome> {
    const { did } = sold.asset
    const body = JSON.stringify({ did, serviceId: sold.asset.ddo.services[0]?.id, checksum: true })
    const headers = { 'content-type': 'application/json' }
    const got = await get(`${seat.instance.url}/api/services/fileinfo`, { method: 'POST', headers, body })
    return judgeDescription(got, sold, this.ledger)
  }

  /** Creates a token for a buyer at an instance; undefined if that fails. */
  async token(seat: Seat, deployment: Deployment, { key }: Buyer): Promise<string | undefined> {
    const nonce = freshNonce()
    const expiration = String(Math.floor(Date.now() / 1000) + 3600)
    const params = { address: key.address, nonce, expiration, signature: signatureOf(key, key.address + nonce) }
    const path = `/api/services/createAuthToken?${new URLSearchParams(params)}`
    const got = await get(seat.instance.url + path)
    if (got.status !== 200) {
      if (got.status > 0) judgeRefusal('createAuthToken', got, this.ledger)
      return undefined
    }
    this.recordPassed(deployment, { key }, { nonce, path })
    return got.complete ? (JSON.parse(got.body.toString()) as { token: string }).token : undefined
  }

  /** Deletes a token. */
  async deleteToken(seat: Seat, deployment: Deployment, { key }: Buyer, token: string): Promise<Outcome> {
    const nonce = freshNonce()
    const body = JSON.stringify({
      address: key.address,
      nonce,
      token,
      signature: signatureOf(key, key.address + nonce),
    })
    const options = { method: 'DELETE', headers: { 'content-type': 'application/json' }, body }
    const got = await get(`${seat.instance.url}/api/services/deleteAuthToken`, options)
    if (got.status >= 400) return judgeRefusal('deleteAuthToken', got, this.ledger)
    if (got.status !== 200) return 'broken'
    this.ledger.recordNonce(deployment.kind, key.address, nonce)
    return 'ok'
  }

  /** Keeps a request with a deleted token. */
  recordDeleted(request: Deleted): void {
    if (this.deleted.push(request) > 100) this.deleted.shift()
  }

  /** Creates a download link. */
  async link(seat: Seat, deployment: Deployment, sold: Sold, buyer: Buyer): Promise<Outcome> {
    const nonce = freshNonce()
    const signature = signatureOf(buyer.key, `${buyer.key.address}${nonce}downloadLink`)
    const { searchParams } = new URL(this.path(sold, buyer, { nonce, signature }), seat.instance.url)
    const path = '/api/services/download/link'
    const headers = { 'content-type': 'application/json' }
    const options = { method: 'POST', headers, body: JSON.stringify(Object.fromEntries(searchParams)) }
    const got = await get(seat.instance.url + path, options)
    if (got.status >= 400) return judgeRefusal('download link', got, this.ledger)
    if (got.status === 0) return 'broken'
    this.recordPassed(deployment, buyer, { nonce, path, options })
    return 'ok'
  }

  /** Returns the path of a download. `proof`: the parameters that authenticate it, if any. */
  path({ asset, name }: Sold, { key, orders }: Buyer, proof: Record<string, string> = {}): string {
    const { did, ddo } = asset
    const serviceId = ddo.services[0]?.id as string
    const transferTxId = orders.get(name) as string
    const query = { documentId: did, serviceId, fileIndex: '0', transferTxId, consumerAddress: key.address, ...proof }
    return `/api/services/download?${new URLSearchParams(query)}`
  }

  /** Returns a signed download with a fresh nonce. */
  signed(sold: Sold, buyer: Buyer): Signed {
    const nonce = freshNonce()
    const signature = signatureOf(buyer.key, sold.asset.did + nonce)
    return { nonce, path: this.path(sold, buyer, { nonce, signature }) }
  }

  /** Records a signed request that passed. */
  recordPassed(
    deployment: Deployment,
    { key }: Pick<Buyer, 'key'>,
    { nonce, ...request }: Signed & Pick<Used, 'options'>,
  ): void {
    this.ledger.recordNonce(deployment.kind, key.address, nonce)
    this.used.push({ deployment, ...request })
    if (this.used.length > 500) this.used.splice(Math.floor(Math.random() * this.used.length), 1)
  }
}
