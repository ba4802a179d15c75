import { createHash } from 'node:crypto'
import { type Address, encodeAbiParameters, encodeEventTopics, type Hex } from 'viem'
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
  time: number
  logs: ScriptedLog[]
}

interface Deployed {
  nfts: Address[]
  datatokens: Address[]
}

/** A chain of blocks with random events, which grows and is reorganised deterministically. */
export class ScriptedChain {
  blocks: readonly ScriptedBlock[] = []
  private counter = 0

  constructor(private readonly random: Random) {
    this.grow(1)
  }

  get head(): number {
    return this.blocks.length - 1
  }

  grow(count: number): void {
    for (let at = 0; at < count; at++) this.blocks = [...this.blocks, this.block()]
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
    // some blocks are crowded: they are applied in parts
    const count = this.random(8) === 0 ? 4 + this.random(12) : Math.max(0, this.random(6) - 2)
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
    return { number, hash, time: 1_700_000_000 + number * 12, logs }
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
    switch (nfts.length === 0 ? 0 : this.random(8)) {
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
      default:
        return encoded('OrderStarted', datatokens.length > 0 ? some(datatokens) : fresh(), { amount: 1n })
    }
  }
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
