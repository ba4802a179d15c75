import { isAddressText } from '@tidegate/protocol'
import { CHAIN_LIMITS } from '../limits.js'

/** Returns the name of the invalid field of a result; undefined if it is valid. */
type Check = (result: unknown, params: unknown[]) => string | undefined

const quantity: Check = (result) => (isQuantity(result) ? undefined : 'number')
const bytes: Check = (result) => (isBytes(result) ? undefined : 'hex')

/** Checks of results by method. A method without one is not called by the service. */
export const RESPONSE_CHECKS: Record<string, Check> = {
  eth_chainId: quantity,
  eth_blockNumber: (result) => (isNumber(result) ? undefined : 'number'),
  eth_gasPrice: quantity,
  eth_maxPriorityFeePerGas: quantity,
  eth_estimateGas: quantity,
  eth_getBalance: quantity,
  eth_getTransactionCount: quantity,
  eth_call: bytes,
  eth_getCode: bytes,
  eth_sendRawTransaction: (result) => (isHash(result) ? undefined : 'hash'),
  eth_getBlockByNumber: (result, [number]) => (result === null ? undefined : headerFault(result, { number })),
  eth_getBlockByHash: (result, [hash]) => (result === null ? undefined : headerFault(result, { hash })),
  eth_getTransactionReceipt: (result, [hash]) => (result === null ? undefined : receiptFault(result, hash)),
  eth_getBlockReceipts: (result, [block]) => (result === null ? undefined : blockReceiptsFault(result, block)),
  eth_getLogs: (result, [filter]) => logsFault(result, Object(filter) as Filter),
}

function headerFault(result: unknown, requested: { number?: unknown; hash?: unknown }): string | undefined {
  // a pending block has neither hash nor number
  if (requested.number === 'pending') return undefined
  const { hash, number, timestamp, transactions } = fieldsOf(result)
  if (!isHash(hash) || (requested.hash !== undefined && !sameHex(hash, requested.hash))) return 'hash'
  if (!isNumber(number) || (isQuantity(requested.number) && Number(number) !== Number(requested.number)))
    return 'number'
  if (!isTime(timestamp)) return 'timestamp'
  // requests by hash are for the list of transaction hashes
  if (requested.hash !== undefined && !(Array.isArray(transactions) && transactions.every(isHash)))
    return 'transactions'
  return undefined
}

function receiptFault(result: unknown, transaction?: unknown): string | undefined {
  const { status, transactionHash, blockHash, blockNumber, logs } = fieldsOf(result)
  if (status !== '0x0' && status !== '0x1') return 'status'
  if (!isHash(transactionHash) || (transaction !== undefined && !sameHex(transactionHash, transaction)))
    return 'transactionHash'
  if (!isHash(blockHash)) return 'blockHash'
  if (!isNumber(blockNumber)) return 'blockNumber'
  if (!Array.isArray(logs)) return 'logs'
  return firstFault(logs, (log) => {
    const fields = fieldsOf(log)
    if (!sameHex(fields.blockHash, blockHash)) return 'blockHash of a log'
    if (!sameHex(fields.transactionHash, transactionHash)) return 'transactionHash of a log'
    return logFault(fields) ?? (Number(fields.blockNumber) === Number(blockNumber) ? undefined : 'blockNumber of a log')
  })
}

/** `block`: a hash, a number or a tag. All receipts must be of one block. */
function blockReceiptsFault(result: unknown, block: unknown): string | undefined {
  if (!Array.isArray(result)) return 'list'
  const first = fieldsOf(result[0])
  return firstFault(result, (receipt) => {
    const fault = receiptFault(receipt)
    if (fault) return fault
    const { blockHash, blockNumber } = fieldsOf(receipt)
    if (!sameHex(blockHash, isHash(block) ? block : first.blockHash)) return 'blockHash'
    return Number(blockNumber) === Number(first.blockNumber) ? undefined : 'blockNumber'
  })
}

interface Filter {
  fromBlock?: unknown
  toBlock?: unknown
  blockHash?: unknown
  address?: unknown
  topics?: unknown[]
}

/** Logs must match the filter's blocks, contracts and events. */
function logsFault(
  result: unknown,
  { fromBlock, toBlock, blockHash, address, topics = [] }: Filter,
): string | undefined {
  if (!Array.isArray(result)) return 'list'
  const first = isQuantity(fromBlock) ? Number(fromBlock) : 0
  const last = isQuantity(toBlock) ? Number(toBlock) : Number.MAX_SAFE_INTEGER
  const addresses = setOf(address)
  const events = setOf(topics[0])
  return firstFault(result, (log) => {
    const fields = fieldsOf(log)
    const fault = logFault(fields)
    if (fault) return fault
    const block = Number(fields.blockNumber)
    if (block < first || block > last) return 'blockNumber of a log'
    if (blockHash !== undefined && !sameHex(fields.blockHash, blockHash)) return 'blockHash of a log'
    if (addresses && !addresses.has((fields.address as string).toLowerCase())) return 'address of a log'
    if (events && !events.has(String((fields.topics as string[])[0]).toLowerCase())) return 'topic of a log'
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
  // only newer nodes send it
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

const fieldsOf = (result: unknown) => Object(result) as Record<string, unknown>

/** Returns the hex values that a filter accepts, in lower case; undefined if it accepts all. */
function setOf(accepted: unknown): Set<string> | undefined {
  if (accepted === undefined || accepted === null) return undefined
  return new Set([accepted].flat().map((one) => String(one).toLowerCase()))
}

function isQuantity(result: unknown): result is string {
  return typeof result === 'string' && /^0x[0-9a-f]{1,64}$/i.test(result)
}

/** Whether a result is a block number or log index within the safe integers. */
function isNumber(result: unknown): result is string {
  return isQuantity(result) && Number.isSafeInteger(Number(result))
}

function isTime(result: unknown): result is string {
  return isQuantity(result) && Number(result) <= CHAIN_LIMITS.chain.time
}

function isHash(result: unknown): result is string {
  return typeof result === 'string' && result.length === 66 && /^0x[0-9a-f]{64}$/i.test(result)
}

function isBytes(result: unknown): result is string {
  return typeof result === 'string' && result.length % 2 === 0 && /^0x[0-9a-f]*$/i.test(result)
}

function sameHex(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return false
  return one === other || one.toLowerCase() === other.toLowerCase()
}
