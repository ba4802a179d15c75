import type { EIP1193RequestFn, Transport } from 'viem'
import { BOUNDS } from '../bounds.js'
import { isAddressText } from '../crypto/address.js'

/** What a node said is not of the form that its question asks for: no answer at all. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer'
  /** `field` is what is wrong, in our own words: nothing of what the node said. */
  constructor(
    readonly method: string,
    readonly field: string,
  ) {
    super(`The node's answer to ${method} has a wrong ${field}.`)
  }
}

/** The same transport, with every answer looked at before anybody believes it. Throws MalformedAnswer. */
export function checked(transport: Transport): Transport {
  return (options) => {
    const made = transport(options)
    const request = async (asked: { method: string; params?: unknown }, ...how: unknown[]) => {
      const said = await (made.request as (...args: unknown[]) => Promise<unknown>)(asked, ...how)
      checkAnswer(asked.method, asked.params, said)
      return said
    }
    return { ...made, request: request as EIP1193RequestFn }
  }
}

/** Throws MalformedAnswer where an answer is not what the question asks for. Methods that nobody asks pass. */
export function checkAnswer(method: string, params: unknown, said: unknown): void {
  const field = CHECKS[method]?.(said, Array.isArray(params) ? params : [])
  if (field !== undefined) throw new MalformedAnswer(method, field)
}

/** The name of what is wrong with an answer; undefined where nothing is. */
type Check = (said: unknown, params: unknown[]) => string | undefined

const quantity: Check = (said) => (isQuantity(said) ? undefined : 'number')
const bytes: Check = (said) => (isBytes(said) ? undefined : 'hex')

/** By the methods that are asked for somewhere. */
const CHECKS: Record<string, Check> = {
  eth_chainId: quantity,
  eth_blockNumber: (said) => (isNumber(said) ? undefined : 'number'),
  eth_gasPrice: quantity,
  eth_maxPriorityFeePerGas: quantity,
  eth_estimateGas: quantity,
  eth_getBalance: quantity,
  eth_getTransactionCount: quantity,
  eth_call: bytes,
  eth_getCode: bytes,
  eth_sendRawTransaction: (said) => (isHash(said) ? undefined : 'hash'),
  eth_getBlockByNumber: (said, [asked]) => (said === null ? undefined : headerFault(said, { number: asked })),
  eth_getBlockByHash: (said, [asked]) => (said === null ? undefined : headerFault(said, { hash: asked })),
  eth_getTransactionReceipt: (said, [asked]) => (said === null ? undefined : receiptFault(said, asked)),
  eth_getBlockReceipts: (said) => {
    if (said === null) return undefined
    return Array.isArray(said) ? firstFault(said, (receipt) => receiptFault(receipt)) : 'list'
  },
  eth_getLogs: (said, [filter]) => logsFault(said, Object(filter) as Filter),
}

function headerFault(said: unknown, asked: { number?: unknown; hash?: unknown }): string | undefined {
  // one that is not mined yet has neither hash nor number
  if (asked.number === 'pending') return undefined
  const { hash, number, timestamp, transactions } = fieldsOf(said)
  if (!isHash(hash) || (asked.hash !== undefined && !sameHex(hash, asked.hash))) return 'hash'
  if (!isNumber(number) || (isQuantity(asked.number) && Number(number) !== Number(asked.number))) return 'number'
  if (!isTime(timestamp)) return 'timestamp'
  // whole transactions are asked for by nobody
  if (asked.hash !== undefined && !(Array.isArray(transactions) && transactions.every(isHash))) return 'transactions'
  return undefined
}

function receiptFault(said: unknown, transaction?: unknown): string | undefined {
  const { status, transactionHash, blockHash, blockNumber, logs } = fieldsOf(said)
  if (status !== '0x0' && status !== '0x1') return 'status'
  if (!isHash(transactionHash) || (transaction !== undefined && !sameHex(transactionHash, transaction)))
    return 'transactionHash'
  if (!isHash(blockHash)) return 'blockHash'
  if (!isNumber(blockNumber)) return 'blockNumber'
  if (!Array.isArray(logs)) return 'logs'
  return firstFault(logs, (log) => {
    const other = fieldsOf(log)
    if (!sameHex(other.blockHash, blockHash)) return 'blockHash of a log'
    if (!sameHex(other.transactionHash, transactionHash)) return 'transactionHash of a log'
    return logFault(other)
  })
}

interface Filter {
  fromBlock?: unknown
  toBlock?: unknown
  blockHash?: unknown
  address?: unknown
  topics?: unknown[]
}

/** Of logs that were asked for: in the blocks, of the contracts and events of the filter, in their order, and once. */
function logsFault(said: unknown, { fromBlock, toBlock, blockHash, address, topics = [] }: Filter): string | undefined {
  if (!Array.isArray(said)) return 'list'
  const first = isQuantity(fromBlock) ? Number(fromBlock) : 0
  const last = isQuantity(toBlock) ? Number(toBlock) : Number.MAX_SAFE_INTEGER
  const wanted = setOf(address)
  const events = setOf(topics[0])
  const seen = new Set<string>()
  let before = first
  return firstFault(said, (log) => {
    const fields = fieldsOf(log)
    const fault = logFault(fields)
    if (fault) return fault
    const block = Number(fields.blockNumber)
    if (block < before || block > last) return 'blockNumber of a log'
    before = block
    if (blockHash !== undefined && !sameHex(fields.blockHash, blockHash)) return 'blockHash of a log'
    if (wanted && !wanted.has((fields.address as string).toLowerCase())) return 'address of a log'
    if (events && !events.has(String((fields.topics as string[])[0]).toLowerCase())) return 'topic of a log'
    const place = `${fields.blockHash} ${fields.transactionHash} ${fields.logIndex}`
    if (seen.has(place)) return 'log: it is there twice'
    seen.add(place)
    return undefined
  })
}

function logFault(log: Record<string, unknown>): string | undefined {
  const { address, topics, data, blockNumber, blockHash, transactionHash, logIndex, blockTimestamp, removed } = log
  if (!isAddressText(address)) return 'address of a log'
  if (!Array.isArray(topics) || topics.length > 4 || !topics.every(isHash)) return 'topic of a log'
  if (!isBytes(data)) return 'data of a log'
  if (!isNumber(blockNumber)) return 'blockNumber of a log'
  if (!isHash(blockHash)) return 'blockHash of a log'
  if (!isHash(transactionHash)) return 'transactionHash of a log'
  if (!isNumber(logIndex)) return 'logIndex of a log'
  // newer nodes tell it
  if (blockTimestamp !== undefined && blockTimestamp !== null && !isTime(blockTimestamp))
    return 'blockTimestamp of a log'
  return removed === true ? 'log: it was removed' : undefined
}

function firstFault(list: unknown[], check: (one: unknown) => string | undefined): string | undefined {
  for (const one of list) {
    const fault = check(one)
    if (fault) return fault
  }
  return undefined
}

const fieldsOf = (said: unknown) => Object(said) as Record<string, unknown>

/** One or several texts of hex, in lower case; undefined where any will do. */
function setOf(wanted: unknown): Set<string> | undefined {
  if (wanted === undefined || wanted === null) return undefined
  return new Set([wanted].flat().map((one) => String(one).toLowerCase()))
}

function isQuantity(said: unknown): said is string {
  return typeof said === 'string' && /^0x[0-9a-f]{1,64}$/i.test(said)
}

/** A number that is exact here: of a block, or of a log. */
function isNumber(said: unknown): said is string {
  return isQuantity(said) && Number.isSafeInteger(Number(said))
}

function isTime(said: unknown): said is string {
  return isQuantity(said) && Number(said) <= BOUNDS.chain.time
}

function isHash(said: unknown): said is string {
  return typeof said === 'string' && said.length === 66 && /^0x[0-9a-f]{64}$/i.test(said)
}

function isBytes(said: unknown): said is string {
  return typeof said === 'string' && said.length % 2 === 0 && /^0x[0-9a-f]*$/i.test(said)
}

function sameHex(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && typeof other === 'string' && one.toLowerCase() === other.toLowerCase()
}
