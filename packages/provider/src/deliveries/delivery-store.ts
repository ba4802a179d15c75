import type { Address, Hex } from '@tidegate/protocol'

/** One transfer of a file to a consumer. */
export interface DeliveryRow {
  /** Random, below 2^48: distinguishes simultaneous transfers, so that repeating a write is idempotent. */
  id: number
  /** When it ended, in milliseconds since 1970. */
  at: number
  chainId: number
  did: string
  nft: Address
  service: string
  /** Index of the file. */
  file: number
  consumer: Address
  /** The transaction of the order itself. */
  orderTx: Hex
  /** Bytes of the file that were sent. */
  bytes: number
  /** Whether they were everything that was requested. */
  complete: boolean
  /** Whose hosted file it was; undefined if it was not a hosted one. */
  hostedBy?: string | undefined
}

/** The provider fee of an order, or of a reuse that renewed it. */
export interface OrderFee {
  chainId: number
  /** The transaction, the datatoken that emitted the event, and its position among that datatoken's orders there. */
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

/** The hosted files that a publisher has now, and what was delivered of them in a period. */
export interface HostedPublisher {
  /** An address, with the chain id behind it if it is a contract wallet. */
  publisher: string
  /** Files, those of them that are not complete, and their bytes: the stored ones, and those that count in the quota. */
  files: bigint
  unfinished: bigint
  stored: bigint
  reserved: bigint
  /** Deliveries, and their bytes, also of files that were deleted since. */
  deliveries: bigint
  delivered: bigint
}

/** Totals of one day, asset, consumer or publisher: its deliveries, then one entry for each token of its fees. */
export type Totals = { key: string } & (
  | { deliveries: bigint; complete: bigint; bytes: bigint; orders: bigint }
  | { chainId: number; token: Address; amount: bigint }
)

/** Deliveries, and the provider fees of their orders. */
export interface DeliveryStore {
  /**
   * Adds rows; existing ones are left unchanged. If it rejects, some may have been added: retry it.
   */
  add(deliveries: readonly DeliveryRow[], fees: readonly OrderFee[]): Promise<void>
  /** Deletes at most `limit` deliveries and as many fees from before a time, oldest first. Returns how many. */
  purge(before: number, limit: number): Promise<number>
  /**
   * Totals, key by key and all from one snapshot. A key is a day as YYYY-MM-DD, a DID, an address (empty for a
   * publisher that the index does not know), or the empty text without a breakdown. Fees count when their orders were
   * made.
   */
  totals(request: TotalsRequest): AsyncIterable<Totals>
  /** Hosted files and their deliveries, publisher by publisher and all from one snapshot. */
  hosted(period: Period): AsyncIterable<HostedPublisher>
}

/** A queued proof of delivery. */
export interface QueuedProof {
  id: string
  kind: 'http' | 'chain'
  /** JSON. */
  body: string
  /** Number of attempts, including the current one. */
  attempts: number
  /** The transaction that was sent for it. */
  txId: Hex | null
}

export type NewProof = Pick<QueuedProof, 'id' | 'kind' | 'body'>

/** The queue of proofs. Times are in milliseconds since 1970. */
export interface ProofStore {
  add(proof: NewProof, now: number): Promise<void>
  /**
   * Adds a proof at most once per subject, ever, and at most `perDay` times per UTC day (0: no limit), across all
   * instances. Returns `known` where the subject was added before, `refused` where the day's limit is reached.
   */
  addOnce(subject: string, perDay: number, proof: NewProof, now: number): Promise<'added' | 'known' | 'refused'>
  /** Claims proofs that are due, so that no other worker claims them before `until`. */
  claim(now: number, until: number, limit: number): Promise<QueuedProof[]>
  recordTransaction(id: string, txId: Hex): Promise<void>
  done(id: string): Promise<void>
  /** Schedules the next attempt; null keeps the proof without another attempt. */
  retry(id: string, at: number | null): Promise<void>
  /** Number of queued proofs. */
  count(): Promise<number>
}
