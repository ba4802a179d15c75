import { type Address, encodeEventTopics, formatLog, getAddress, type Hex, type Log, type RpcLog } from 'viem'
import { EVENTS } from '../../chain/abi.js'
import { type Chain, onChain } from '../../chain/chains.js'
import type { Logger } from '../../logger.js'
import type { Cursor, IndexChange, IndexStore } from '../../state/store.js'
import { changesOf } from './changes.js'
import { readFacts } from './facts.js'

export interface FollowerOptions {
  /** Blocks asked for at once. */
  blockRange: number
  /** Milliseconds between two looks at the head. */
  pollInterval: number
  /** Largest document accepted, in bytes. */
  maxDdoSize: number
}

/** Longest pause after failures, in milliseconds. */
const MAX_PAUSE = 30_000

/** How many blocks the node may be behind what was read already before that counts as another history. */
const TOLERATED_LAG = 64

const INDEXED_EVENTS = [
  'NFTCreated',
  'TokenCreated',
  'MetadataCreated',
  'MetadataUpdated',
  'MetadataState',
  'OrderStarted',
]
const TOPICS = INDEXED_EVENTS.map((eventName) => encodeEventTopics({ abi: EVENTS, eventName } as never)[0] as Hex)

/**
 * Keeps the index of one chain at the head: reads bounded ranges of blocks, applies each with the cursor in one
 * transaction, and so goes on where it was after any end of the process.
 */
export class ChainFollower {
  private running: Promise<void> | undefined
  private wake: () => void = () => undefined
  private stopped = false

  constructor(
    private readonly chain: Chain,
    private readonly index: IndexStore,
    private readonly options: FollowerOptions,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.running ??= this.loop()
  }

  /** Ends after the range that is being applied. */
  async stop(): Promise<void> {
    this.stopped = true
    this.wake()
    await this.running
  }

  private async loop(): Promise<void> {
    let failures = 0
    while (!this.stopped) {
      try {
        const atHead = await this.step()
        failures = 0
        if (atHead) await this.pause(this.options.pollInterval)
      } catch (error) {
        failures += 1
        const pause = Math.min(MAX_PAUSE, this.options.pollInterval * 2 ** Math.min(failures, 10))
        this.log.warn({ chainId: this.chain.chainId, reason: (error as Error).message, pause }, 'index cannot go on')
        await this.pause(pause)
      }
    }
  }

  /** Reads one range. True when there was nothing left to read. */
  async step(): Promise<boolean> {
    const { chainId, client, deployment } = this.chain
    const cursor = await this.index.cursor(chainId)
    const [head, last] = await onChain(() =>
      Promise.all([
        client.getBlockNumber().then(Number),
        cursor && client.getBlock({ blockNumber: BigInt(cursor.block) }).catch(() => undefined),
      ]),
    )
    if (cursor && !last && cursor.block <= head + TOLERATED_LAG) return true // a node that lags behind another
    if (cursor && last?.hash !== cursor.hash) {
      // Another history than the one that was read: everything of this chain is read anew.
      this.log.warn({ chainId, block: cursor.block }, 'chain history changed, reading the chain again')
      await this.index.reset(chainId)
      return false
    }
    const from = cursor ? cursor.block + 1 : deployment.startBlock
    if (from > head) return true
    const to = Math.min(head, from + this.options.blockRange - 1)
    await this.apply(from, to)
    return to === head
  }

  private async apply(from: number, to: number): Promise<void> {
    const { chainId } = this.chain
    const { logs, cursor } = await this.read(from, to)
    const { changes, touched } = await changesOf(logs, this.chain, this.index, this.options.maxDdoSize)
    const facts = await Promise.all([...touched].map((nft) => this.facts(nft, changes)))
    await this.index.commit(chainId, [...changes, ...facts], cursor)
    for (const change of changes) {
      if (change.kind !== 'metadata') continue
      const { did, block, reason } = change.metadata
      if (reason) this.log.info({ chainId, did, block, reason }, 'asset document cannot be used')
      else this.log.debug({ chainId, did, block }, 'asset indexed')
    }
  }

  private read(from: number, to: number): Promise<{ logs: Log[]; cursor: Cursor }> {
    const { client } = this.chain
    return onChain(async () => {
      const [raw, block] = await Promise.all([
        // the plain call: the typed one has no form for "any of these events, from anywhere"
        client.request({
          method: 'eth_getLogs',
          params: [{ fromBlock: hex(from), toBlock: hex(to), topics: [TOPICS] }],
        }),
        client.getBlock({ blockNumber: BigInt(to) }),
      ])
      const logs = await Promise.all((raw as RpcLog[]).map((log) => this.timed(log)))
      return { logs, cursor: { block: to, hash: block.hash as Hex } }
    })
  }

  /** A log with the time of its block where that is needed: older nodes do not tell it, and NFTCreated does not carry it. */
  private async timed(raw: RpcLog): Promise<Log> {
    const log = formatLog(raw)
    const deployment = getAddress(raw.address) === this.chain.deployment.factory
    if (!deployment || log.blockTimestamp) return log
    const block = await this.chain.client.getBlock({ blockHash: log.blockHash as Hex })
    return { ...log, blockTimestamp: block.timestamp }
  }

  private async facts(nft: Address, changes: IndexChange[]): Promise<IndexChange> {
    const { chainId } = this.chain
    const fresh = changes.flatMap((change) =>
      change.kind === 'datatoken' && change.datatoken.nft === nft ? [change.datatoken.address] : [],
    )
    const stored = await this.index.datatokensOf(chainId, nft)
    return { kind: 'facts', facts: await readFacts(this.chain, nft, [...stored, ...fresh]) }
  }

  private pause(milliseconds: number): Promise<void> {
    if (this.stopped) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

function hex(value: number): Hex {
  return `0x${value.toString(16)}`
}
