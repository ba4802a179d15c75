import fc from 'fast-check'
import { type Address, encodeAbiParameters, encodeEventTopics, getAddress, type Hex, type Log } from 'viem'
import { EVENTS } from '../../../packages/chain/src/abi.js'
import { CONSUMER, DATATOKEN, KEY, NFT, TX } from './honest.js'
import { mutated, mutatedBytes } from './mutate.js'

/** The trusted factory of the chain. */
export const FACTORY = getAddress('0x0102030405060708090a0b0c0d0e0f1011121314')

type Parameter = (typeof EVENTS)[number]['inputs'][number]

/** A value of a parameter's type: one of the test contracts for an address, else any. */
function valueFor({ type }: Parameter): fc.Arbitrary<unknown> {
  const number = (bits: number) =>
    fc.oneof(fc.constantFrom(0n, 1n, 10n ** 18n, 2n ** 53n), fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }))
  if (type === 'address') return fc.constantFrom(NFT, DATATOKEN, CONSUMER, FACTORY)
  if (type === 'bool') return fc.boolean()
  if (type === 'uint8') return fc.constantFrom(0, 1, 5, 27, 28, 255)
  if (type === 'uint256') return number(256)
  if (type === 'string')
    return fc.oneof(fc.constantFrom('', 'Tides', 'a\0b', '\ufffd', 'x'.repeat(5000)), fc.string({ unit: 'grapheme' }))
  if (type === 'bytes32') return fc.constantFrom(TX, `0x${'00'.repeat(32)}`)
  return fc.oneof(fc.constantFrom<Hex>('0x', '0x00', '0x02', '0x03'), fc.uint8Array({ maxLength: 80 }).map(hexOf))
}

/** A well-formed log of one event, with any emitter and values except the fixed ones. */
function logOf(
  event: (typeof EVENTS)[number],
  from?: Address,
  fixed: Record<string, unknown> = {},
): fc.Arbitrary<RawLog> {
  const emitters = from === undefined ? fc.constantFrom(NFT, DATATOKEN, FACTORY) : fc.constant(from)
  return fc.tuple(emitters, ...event.inputs.map(valueFor)).map(([emitter, ...values]): RawLog => {
    const named = { ...Object.fromEntries(event.inputs.map(({ name }, at) => [name, values[at]])), ...fixed }
    const plain = event.inputs.filter((input) => !('indexed' in input && input.indexed))
    const topics = encodeEventTopics({ abi: EVENTS, eventName: event.name, args: named } as never) as Hex[]
    const data = encodeAbiParameters(plain as never, plain.map(({ name }) => named[name as string]) as never)
    return { address: emitter as Address, topics, data: Buffer.from(data.slice(2), 'hex') }
  })
}

const [nftCreated, tokenCreated, metadataCreated, metadataUpdated, stateSet, orderStarted, orderReused, fee] = EVENTS
const honest = fc.constantFrom(...EVENTS).chain((event) => logOf(event))

/** The life of one asset, from its NFT to an order, in this order. */
const story = fc.tuple(
  logOf(nftCreated, FACTORY, { newTokenAddress: NFT }),
  logOf(tokenCreated, FACTORY, { newTokenAddress: DATATOKEN, creator: NFT }),
  fc.constantFrom(metadataCreated, metadataUpdated, stateSet).chain((event) => logOf(event, NFT)),
  fc.constantFrom(orderStarted, orderReused).chain((event) => logOf(event, DATATOKEN)),
  logOf(fee, DATATOKEN, { providerFeeAddress: KEY.address }),
)

interface RawLog {
  address: Address
  topics: Hex[]
  data: Uint8Array
}

/** Generates logs of a chain: those of the real contracts, and what others emit under the same names. */
export function logs(): fc.Arbitrary<RawLog[]> {
  const malformed = honest.chain((log) => mutatedBytes(fc.constant(log.data)).map((data) => ({ ...log, data })))
  const topics = fc.tuple(honest, mutated(fc.constantFrom([TX], [TX, TX]), 2)).map(([log, more]) => {
    const listed = [log.topics[0], ...(Array.isArray(more) ? more : [])].filter((topic) =>
      /^0x[0-9a-f]{64}$/.test(String(topic)),
    )
    return { ...log, topics: listed.slice(0, 4) as Hex[] }
  })
  const any = fc.array(
    fc.oneof({ arbitrary: honest, weight: 6 }, { arbitrary: malformed, weight: 2 }, { arbitrary: topics, weight: 1 }),
    { maxLength: 8 },
  )
  return fc.oneof(
    any,
    fc.tuple(story, any).map(([first, more]) => [...first, ...more]),
  )
}

/** Completes a log as a node returns it: well-formed, whatever its content. */
export function asLog({ address, topics, data }: RawLog, at = 0): Log {
  const frame = {
    blockHash: TX,
    blockNumber: 5n,
    logIndex: at,
    transactionHash: TX,
    transactionIndex: 0,
    removed: false,
  }
  return { ...frame, address, topics: topics as [], data: hexOf(data) } as Log
}

function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
