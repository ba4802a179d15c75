import { createHash } from 'node:crypto'
import { type Address, encodeAbiParameters, encodeEventTopics, type Hex, hexToBytes, keccak256 } from 'viem'
import { EVENTS } from '../../packages/chain/src/abi.js'
import { checksummed } from '../../packages/protocol/src/crypto/address.js'
import { FACTORY } from '../fuzz/lib/logs.js'

/** A deterministic source of integers from 0 to below `below`. */
export type Random = (below: number) => number

/** Creates a seeded random generator. */
export function randomFrom(seed: number): Random {
  let state = seed | 0
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** A log as nodes return it. */
export interface ScriptedLog {
  address: Address
  topics: Hex[]
  data: Hex
  blockNumber: Hex
  blockHash: Hex
  transactionHash: Hex
  logIndex: Hex
}

export interface ScriptedBlock {
  number: number
  hash: Hex
  parent: Hex
  time: number
  logs: ScriptedLog[]
  bloom: Hex
}

/** How a chain fills its blooms: as Ethereum does, with bits of other logs, or not at all. */
export const BLOOMS = ['true', 'busy', 'full', 'empty'] as const
export type Blooms = (typeof BLOOMS)[number]

interface Deployed {
  nfts: Address[]
  datatokens: Address[]
}

/** A chain of blocks with random events, which grows and is reorganised deterministically. */
export class ScriptedChain {
  blocks: readonly ScriptedBlock[] = []
  private counter = 0
  private readonly blooms: Blooms
  private readonly history: { at: number; blocks: readonly ScriptedBlock[] }[] = []

  /** `clock`: returns milliseconds. */
  constructor(
    private readonly random: Random,
    private readonly clock: () => number,
  ) {
    this.blooms = BLOOMS[random(BLOOMS.length)] as Blooms
    this.grow(1)
  }

  /** The blocks some milliseconds ago. */
  before(lag: number): readonly ScriptedBlock[] {
    const latest = this.clock() - lag
    return (this.history.findLast(({ at }) => at <= latest) ?? this.history[0])?.blocks ?? this.blocks
  }

  get head(): number {
    return this.blocks.length - 1
  }

  grow(count: number): void {
    for (let at = 0; at < count; at++) this.blocks = [...this.blocks, this.block()]
    this.history.push({ at: this.clock(), blocks: this.blocks })
  }

  /** Replaces the last `depth` blocks with `by` others. */
  reorganise(depth: number, by: number): void {
    this.blocks = this.blocks.slice(0, Math.max(1, this.blocks.length - depth))
    this.grow(by)
  }

  private block(): ScriptedBlock {
    const number = this.blocks.length
    const hash = this.hash('block')
    const known = deployedIn(this.blocks)
    // some blocks are crowded: they are applied in parts. The genesis block has no transactions
    const count = number === 0 ? 0 : this.random(8) === 0 ? 4 + this.random(12) : Math.max(0, this.random(6) - 2)
    const logs = Array.from(
      { length: count },
      (_, at): ScriptedLog => ({
        ...this.event(known),
        blockNumber: hex(number),
        blockHash: hash,
        transactionHash: this.hash('transaction'),
        logIndex: hex(at),
      }),
    )
    const last = this.blocks.at(-1)
    const parent = last?.hash ?? `0x${'00'.repeat(32)}`
    const time = Math.max((last?.time ?? 0) + 1, Math.floor(this.clock() / 1000))
    return { number, hash, parent, time, logs, bloom: this.bloomOf(logs) }
  }

  private bloomOf(logs: ScriptedLog[]): Hex {
    const bytes = new Uint8Array(256)
    if (this.blooms === 'full') bytes.fill(255)
    const logged = this.blooms === 'empty' ? [] : logs.flatMap(({ address, topics }) => [address, ...topics])
    for (const value of logged) setBits(bytes, value)
    if (this.blooms === 'busy') for (let at = 0; at < 900; at++) setBit(bytes, this.random(2048))
    return `0x${Buffer.from(bytes).toString('hex')}`
  }

  private hash(what: string): Hex {
    return `0x${createHash('sha256')
      .update(`${what} ${this.counter++} ${this.random(2 ** 30)}`)
      .digest('hex')}`
  }

  private event(known: Deployed): Pick<ScriptedLog, 'address' | 'topics' | 'data'> {
    const some = <T>(list: T[]) => list[this.random(list.length)] as T
    const fresh = () => checksummed(`0x${this.hash('address').slice(2, 42)}`)
    const { nfts, datatokens } = known
    switch (nfts.length === 0 ? 0 : this.random(10)) {
      case 0: {
        const newTokenAddress = fresh()
        nfts.push(newTokenAddress)
        return encoded('NFTCreated', FACTORY, { newTokenAddress, tokenName: `n${this.counter}` })
      }
      case 1: {
        const newTokenAddress = fresh()
        datatokens.push(newTokenAddress)
        return encoded('TokenCreated', FACTORY, { newTokenAddress, creator: some(nfts), name: `d${this.counter}` })
      }
      case 2:
        return encoded('MetadataCreated', some(nfts), {
          state: 0,
          data: `0x${this.counter.toString(16).padStart(8, '0')}`,
        })
      case 3:
        return encoded('MetadataUpdated', some(nfts), { state: this.random(6), flags: '0x02', data: '0x1234' })
      case 4:
        return encoded('MetadataState', some(nfts), { state: this.random(6) })
      case 5:
        // an untrusted emitter
        return encoded('MetadataState', fresh(), { state: 3 })
      case 6:
        // names a market, which may have had events before
        return encoded('NewFixedRate', datatokens.length > 0 ? some(datatokens) : fresh(), {
          exchangeContract: some(MARKETS),
        })
      case 7: {
        const event = this.random(2) === 0 ? 'ExchangeCreated' : 'ExchangeRateChanged'
        const datatoken = datatokens[0] ?? fresh()
        return encoded(event, some(MARKETS), {
          exchangeId: keccak256(datatoken),
          datatoken,
          newRate: BigInt(this.counter),
        })
      }
      default:
        return encoded('OrderStarted', datatokens.length > 0 ? some(datatokens) : fresh(), { amount: 1n })
    }
  }
}

const MARKETS: Address[] = ['1', '2'].map((digit) => checksummed(`0x${digit.repeat(40)}`))

function setBits(bloom: Uint8Array, value: Hex): void {
  const hash = hexToBytes(keccak256(value))
  for (const at of [0, 2, 4]) {
    setBit(bloom, (((hash[at] as number) << 8) | (hash[at + 1] as number)) & 2047)
  }
}

function setBit(bloom: Uint8Array, bit: number): void {
  const at = bloom.length - 1 - (bit >> 3)
  bloom[at] = (bloom[at] as number) | (1 << (bit & 7))
}

/** The contracts that were deployed in some blocks. */
function deployedIn(blocks: readonly ScriptedBlock[]): Deployed {
  const all: Deployed = { nfts: [], datatokens: [] }
  for (const { logs } of blocks)
    for (const { address, topics, data } of logs) {
      if (address !== FACTORY) continue
      if (topics[0] === TOPIC.get('NFTCreated')) all.nfts.push(checksummed(`0x${data.slice(26, 66)}`))
      else all.datatokens.push(checksummed(`0x${(topics[1] as Hex).slice(26)}`))
    }
  return all
}

const DEFAULTS: Record<string, unknown> = {
  ...{ address: FACTORY, bool: true, uint8: 0, uint256: 1n, string: 'x', bytes: '0x', bytes32: `0x${'11'.repeat(32)}` },
}

function encoded(eventName: string, address: Address, given: Record<string, unknown>) {
  const event = EVENTS.find(({ name }) => name === eventName) as (typeof EVENTS)[number]
  const args = Object.fromEntries(event.inputs.map(({ name, type }) => [name, given[name as string] ?? DEFAULTS[type]]))
  const topics = encodeEventTopics({ abi: EVENTS, eventName, args } as never) as Hex[]
  const plain = event.inputs.filter((input) => !('indexed' in input && input.indexed))
  const data = encodeAbiParameters(plain as never, plain.map(({ name }) => args[name as string]) as never)
  return { address, topics, data }
}

const TOPIC = new Map(
  EVENTS.map(({ name }) => [name, encodeEventTopics({ abi: EVENTS, eventName: name } as never)[0] as Hex]),
)

/** Encodes a number as a JSON-RPC quantity. */
export function hex(value: number): Hex {
  return `0x${value.toString(16)}`
}
