import type { Address, Hex } from '@tidegate/protocol'

/** One delivery of a file to a consumer: a transfer, and ranges of the file that follow within an hour. */
export interface DeliveryRow {
  /** Random, below 2^48: a repeated write stays idempotent, and simultaneous transfers differ. */
  id: number
  /** End of the first transfer, in milliseconds since 1970. */
  at: number
  chainId: number
  did: string
  nft: Address
  service: string
  /** Index of the file; -1: an archive of all files. */
  file: number
  consumer: Address
  /** Transaction of the order, not of its reuse. */
  orderTx: Hex
  /** Sent bytes of the file. */
  bytes: number
  /** Whether all requested bytes of a transfer were sent. */
  complete: boolean
  /** Publisher of the hosted file; undefined for other files. */
  hostedBy?: string | undefined
  /** Whether another instance counts the delivery, so that only the bytes count here. */
  continues?: boolean
}

/** The claim to count a delivery that begins with a range. */
export interface RangeClaim {
  /** Hash of consumer, order, service and file. */
  subject: string
  /** Id of the row that counts the delivery. */
  id: number
  /** Begin of the delivery, in milliseconds since 1970. */
  begun: number
}

/** The provider fee of an order or a renewal. */
export interface OrderFee {
  chainId: number
  /** Transaction, datatoken and position among the orders of that datatoken in the transaction: together the key. */
  txId: Hex
  datatoken: Address
  position: number
  /** Time of the block, in milliseconds since 1970. */
  at: number
  did: string
  nft: Address
  service: string
  consumer: Address
  token: Address
  /** In the token's smallest unit. */
  amount: bigint
}

/** The breakdown of totals. A publisher is the first owner of the data NFT. */
export type Breakdown = 'day' | 'asset' | 'consumer' | 'publisher'

export interface Period {
  /** Milliseconds since 1970; `until` is excluded. */
  since: number
  until: number
}

export interface TotalsRequest extends Period {
  by?: Breakdown
}

/** The hosted files of a publisher, and their deliveries in a period. */
export interface HostedPublisher {
  /** An address. For a contract wallet, its chain id follows. */
  publisher: string
  /** Files, incomplete files, stored bytes, and bytes that count in the quota. */
  files: bigint
  unfinished: bigint
  stored: bigint
  reserved: bigint
  /** Deliveries and their bytes, including those of deleted files. */
  deliveries: bigint
  delivered: bigint
}

/** Totals by key: first the deliveries, then an entry for each token of the fees. */
export type Totals = { key: string } & (
  | { deliveries: bigint; complete: bigint; bytes: bigint; orders: bigint }
  | { chainId: number; token: Address; amount: bigint }
)

/** Deliveries, and the provider fees of their orders. */
export interface DeliveryStore {
  /**
   * Adds rows. A delivery that exists gets the bytes of its row if they are more; a fee stays. If it rejects, some rows may
   * have been added: retry.
   */
  add(deliveries: readonly DeliveryRow[], fees: readonly OrderFee[]): Promise<void>
  /** Returns the claim that holds for the hour: the given one, or an earlier one of the same subject. Idempotent. */
  claim(claim: RangeClaim): Promise<Omit<RangeClaim, 'subject'>>
  /**
   * Deletes at most `limit` deliveries and `limit` fees before a time, oldest first, and as many claims whose hour is over.
   * Returns the number of deleted rows.
   */
  purge(before: number, limit: number): Promise<number>
  /**
   * Yields totals by key, from one snapshot. A key is a day (YYYY-MM-DD), a DID or an address; empty for an unknown
   * publisher, and without a breakdown. A fee counts at the time of its order.
   */
  totals(request: TotalsRequest): AsyncIterable<Totals>
  /** Yields hosted files and their deliveries by publisher, from one snapshot. */
  hosted(period: Period): AsyncIterable<HostedPublisher>
}

/** A queued proof of delivery. */
export interface QueuedProof {
  id: string
  kind: 'http' | 'chain'
  /** JSON. */
  body: string
  /** Attempts, including the current one. */
  attempts: number
  /** Transaction of the last attempt. */
  txId: Hex | null
}

export type NewProof = Pick<QueuedProof, 'id' | 'kind' | 'body'>

/** The queue of proofs. Times are in milliseconds since 1970. */
export interface ProofStore {
  add(proof: NewProof, now: number): Promise<void>
  /**
   * Adds a proof once per subject, ever, and at most `perDay` times per UTC day over all instances (0: no limit).
   * Returns `known` if the subject was added before, `refused` at the limit of the day.
   */
  addOnce(subject: string, perDay: number, proof: NewProof, now: number): Promise<'added' | 'known' | 'refused'>
  /** Claims due proofs until `until`. No other worker gets them meanwhile. */
  claim(now: number, until: number, limit: number): Promise<QueuedProof[]>
  recordTransaction(id: string, txId: Hex): Promise<void>
  done(id: string): Promise<void>
  /** Schedules the next attempt. Null: keeps the proof without an attempt. */
  retry(id: string, at: number | null): Promise<void>
  /** Number of queued proofs. */
  count(): Promise<number>
}
