import { orderLogs, type PlacedLog } from './log-order.js'

/** A valid result with its logs in chain order and each once, and the number of repeated logs that it had. */
export interface OrderedResult {
  result: unknown
  repeated: number
}

interface Receipt {
  status: string
  transactionHash: string
  logs: PlacedLog[]
}

/** Orders the logs of a valid result. Returns the name of the wrong field if the result contradicts itself. */
export function orderedResult(method: string, result: unknown): OrderedResult | string {
  if (result === null) return { result, repeated: 0 }
  if (method === 'eth_getLogs') return withLogs(result as PlacedLog[], (logs) => logs)
  if (method === 'eth_getTransactionReceipt') return orderedReceipt(result as Receipt)
  if (method === 'eth_getBlockReceipts') return orderedReceipts(result as Receipt[])
  return { result, repeated: 0 }
}

function orderedReceipt(receipt: Receipt): OrderedResult | string {
  return withLogs(receipt.logs, (logs) => (logs === receipt.logs ? receipt : { ...receipt, logs }))
}

function orderedReceipts(receipts: Receipt[]): OrderedResult | string {
  const unique = new Map<string, Receipt>()
  let repeated = 0
  for (const receipt of receipts) {
    const ordered = orderedReceipt(receipt)
    if (typeof ordered === 'string') return ordered
    const { status, transactionHash, logs } = ordered.result as Receipt
    const key = transactionHash.toLowerCase()
    const former = unique.get(key)
    if (!former) unique.set(key, ordered.result as Receipt)
    else if (former.status !== status) return 'status'
    repeated += ordered.repeated + (former ? logs.length : 0)
  }
  const result = [...unique.values()]
  // compares the logs with those of other receipts, and those of a repeated receipt with the first one
  const all = orderLogs(receipts.flatMap(({ logs }) => logs))
  if (typeof all === 'string') return all
  return all.logs.length === result.flatMap(({ logs }) => logs).length ? { result, repeated } : 'logs'
}

function withLogs(logs: PlacedLog[], result: (logs: PlacedLog[]) => unknown): OrderedResult | string {
  const ordered = orderLogs(logs)
  return typeof ordered === 'string' ? ordered : { result: result(ordered.logs), repeated: ordered.repeated }
}
