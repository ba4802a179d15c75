import { freshNonce, signatureOf } from '../test/helpers/requests.js'
import type { Deployment, Seat } from './deployment.js'
import { get } from './lib/http.js'
import { judgeDescription, judgeFile, judgeRefusal } from './lib/judge.js'
import type { Ledger, Outcome } from './lib/ledger.js'
import type { Buyer, Sold } from './world.js'

/** A request that passed with its nonce, which must not pass again. */
export interface Used {
  deployment: Deployment
  path: string
}

/** A download that is signed. */
export interface Signed {
  nonce: string
  path: string
}

/** Requests of buyers, and which of them have passed. */
export class Requests {
  readonly used: Used[] = []

  constructor(private readonly ledger: Ledger) {}

  /** A signed download of a file from an instance, as the check after a fault. */
  async probe(seat: Seat, deployment: Deployment, sold: Sold, buyer: Buyer): Promise<Outcome> {
    const signed = this.signed(sold, buyer)
    const got = await get(seat.instance.url + signed.path, { timeout: 15_000 })
    if (got.status === 200) this.passed(deployment, buyer, signed)
    return judgeFile('probe', got, sold, this.ledger)
  }

  async described(seat: Seat, sold: Sold): Promise<Outcome> {
    const { did } = sold.asset
    const body = JSON.stringify({ did, serviceId: sold.asset.ddo.services[0]?.id, checksum: true })
    const headers = { 'content-type': 'application/json' }
    const got = await get(`${seat.instance.url}/api/services/fileinfo`, { method: 'POST', headers, body })
    return judgeDescription(got, sold, this.ledger)
  }

  /** A token of a buyer from an instance, where it gives one. */
  async token(seat: Seat, deployment: Deployment, { key }: Buyer): Promise<string | undefined> {
    const nonce = freshNonce()
    const expiration = String(Math.floor(Date.now() / 1000) + 3600)
    const params = { address: key.address, nonce, expiration, signature: signatureOf(key, key.address + nonce) }
    const got = await get(`${seat.instance.url}/api/services/createAuthToken?${new URLSearchParams(params)}`)
    if (got.status !== 200) {
      if (got.status > 0) judgeRefusal('createAuthToken', got, this.ledger)
      return undefined
    }
    this.ledger.acceptedNonce(deployment.kind, key.address, nonce)
    return got.complete ? (JSON.parse(got.body.toString()) as { token: string }).token : undefined
  }

  /** The path of a download, without what proves who asks. */
  path({ asset, name }: Sold, { key, orders }: Buyer, proof: Record<string, string> = {}): string {
    const { did, ddo } = asset
    const serviceId = ddo.services[0]?.id as string
    const transferTxId = orders.get(name) as string
    const query = { documentId: did, serviceId, fileIndex: '0', transferTxId, consumerAddress: key.address, ...proof }
    return `/api/services/download?${new URLSearchParams(query)}`
  }

  /** A signed download, each time with another nonce. */
  signed(sold: Sold, buyer: Buyer): Signed {
    const nonce = freshNonce()
    const signature = signatureOf(buyer.key, sold.asset.did + nonce)
    return { nonce, path: this.path(sold, buyer, { nonce, signature }) }
  }

  /** Notes a signed request that passed. */
  passed(deployment: Deployment, { key }: Buyer, { nonce, path }: Signed): void {
    this.ledger.acceptedNonce(deployment.kind, key.address, nonce)
    this.used.push({ deployment, path })
    if (this.used.length > 500) this.used.splice(Math.floor(Math.random() * this.used.length), 1)
  }
}
