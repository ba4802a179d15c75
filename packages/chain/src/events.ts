import { checksummed } from '@tidegate/protocol'
import type { Address, Hex, Log, parseEventLogs } from 'viem'
import { EVENTS, topicsOf } from './abi.js'

/** A decoded log of one of EVENTS. */
export type ChainEvent = ReturnType<typeof parseEventLogs<typeof EVENTS, true>>[number]
export type EventNamed<N extends ChainEvent['eventName']> = Extract<ChainEvent, { eventName: N }>

const WORD = 32
/** Bytes at the end of a word that a small number may fill. */
const NUMBER = 6
const BY_TOPIC = new Map(EVENTS.map((event) => [topicsOf([event.name])[0], event]))

/**
 * Decodes logs of EVENTS; skips other and malformed logs. Own code, since viem decodes byte by byte: untrusted logs of
 * several megabytes would block the event loop.
 */
export function decodeEvents(logs: readonly Log[]): ChainEvent[] {
  return logs.flatMap((log) => decodeEvent(log) ?? [])
}

/** Decodes one log; undefined if it is malformed or not one of EVENTS. */
export function decodeEvent(log: Log): ChainEvent | undefined {
  const event = BY_TOPIC.get(log.topics[0])
  if (!event) return undefined
  try {
    return { ...log, eventName: event.name, args: argsOf(event.inputs, log) } as unknown as ChainEvent
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/** The data or topics of a log do not fit its event. */
class Malformed extends Error {}

type Inputs = (typeof EVENTS)[number]['inputs']

function argsOf(inputs: Inputs, { topics, data }: Log): Record<string, unknown> {
  const bytes = Buffer.from(data.slice(2), 'hex')
  const args: Record<string, unknown> = {}
  let topic = 1
  let position = 0
  for (const input of inputs) {
    const indexed = 'indexed' in input && input.indexed
    const word = indexed ? Buffer.from(topics[topic++]?.slice(2) ?? '', 'hex') : part(bytes, WORD * position++, WORD)
    if (word.length !== WORD) throw new Malformed()
    args[input.name as string] = decoded(input.type, word, bytes)
  }
  if (topic !== topics.length) throw new Malformed()
  return args
}

function decoded(type: Inputs[number]['type'], word: Buffer, bytes: Buffer): unknown {
  switch (type) {
    case 'address':
      return checksummed(hex(word.subarray(12)) as Address)
    case 'bytes32':
      return hex(word)
    case 'uint256':
      return BigInt(hex(word))
    case 'uint8':
      return smallNumber(word, 255)
    case 'bool':
      return smallNumber(word, 1) === 1
    case 'bytes':
      return hex(dynamic(word, bytes))
    case 'string':
      return dynamic(word, bytes).toString('utf8')
  }
}

/** Reads a dynamic value: the word is an offset to the length, and the bytes follow the length. */
function dynamic(word: Buffer, bytes: Buffer): Buffer {
  const offset = smallNumber(word, bytes.length)
  return part(bytes, offset + WORD, smallNumber(part(bytes, offset, WORD), bytes.length))
}

function part(bytes: Buffer, from: number, length: number): Buffer {
  if (from + length > bytes.length) throw new Malformed()
  return bytes.subarray(from, from + length)
}

function smallNumber(word: Buffer, max: number): number {
  for (let at = 0; at < WORD - NUMBER; at++) if (word[at] !== 0) throw new Malformed()
  const value = word.readUIntBE(WORD - NUMBER, NUMBER)
  if (value > max) throw new Malformed()
  return value
}

function hex(bytes: Buffer): Hex {
  return `0x${bytes.toString('hex')}`
}
