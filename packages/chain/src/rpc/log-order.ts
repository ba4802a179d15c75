/** The fields of a valid log that tell its place on the chain and its content. */
export interface PlacedLog {
  address: string
  topics: string[]
  data: string
  blockNumber: string
  blockHash: string
  transactionHash: string
  logIndex: string
  transactionIndex?: unknown
  blockTimestamp?: unknown
}

/** Logs in chain order, each once, and the number of exact repetitions among them. */
export interface OrderedLogs {
  logs: PlacedLog[]
  repeated: number
}

interface Place {
  log: PlacedLog
  block: number
  index: number
}

/**
 * Sorts valid logs by block and log index, and drops exact repetitions: balancers merge the answers of several nodes.
 * Returns the name of the wrong field if two logs contradict each other.
 */
export function orderLogs(logs: PlacedLog[]): OrderedLogs | string {
  const places = logs.map((log) => ({ log, block: Number(log.blockNumber), index: Number(log.logIndex) }))
  const isOrdered = places.every((place, at) => at === 0 || compare(places[at - 1] as Place, place) < 0)
  if (!isOrdered) places.sort(compare)
  const blocks = new Set<string>()
  const unique: PlacedLog[] = []
  let previous: Place | undefined
  for (const place of places) {
    const { log } = place
    if (previous?.block !== place.block) {
      const hash = log.blockHash.toLowerCase()
      if (blocks.has(hash)) return 'blockNumber of a log'
      blocks.add(hash)
    } else {
      const fault = contradiction(previous, place)
      if (fault) return fault
      if (previous.index === place.index) continue
    }
    unique.push(log)
    previous = place
  }
  return { logs: isOrdered ? logs : unique, repeated: logs.length - unique.length }
}

const compare = (a: Place, b: Place) => a.block - b.block || a.index - b.index

/** Returns the field in which two logs with one block number contradict each other. The first one has no higher index. */
function contradiction({ log: one, index }: Place, { log: other, index: next }: Place): string | undefined {
  if (!sameHex(one.blockHash, other.blockHash)) return 'blockHash of a log'
  if (differ(one.blockTimestamp, other.blockTimestamp)) return 'blockTimestamp of a log'
  if (index === next) return sameContent(one, other) ? undefined : 'log: another one has its index'
  // transactions emit their logs in sequence
  return Number(one.transactionIndex) > Number(other.transactionIndex) ? 'logIndex of a log' : undefined
}

function sameContent(one: PlacedLog, other: PlacedLog): boolean {
  return (
    sameHex(one.address, other.address) &&
    sameHex(one.data, other.data) &&
    sameHex(one.transactionHash, other.transactionHash) &&
    one.topics.length === other.topics.length &&
    one.topics.every((topic, at) => sameHex(topic, other.topics[at] as string)) &&
    !differ(one.transactionIndex, other.transactionIndex)
  )
}

/** Whether two numbers differ. Older nodes leave out some fields, so a missing one contradicts nothing. */
function differ(one: unknown, other: unknown): boolean {
  return one != null && other != null && one !== other && Number(one) !== Number(other)
}

function sameHex(one: string, other: string): boolean {
  return one === other || one.toLowerCase() === other.toLowerCase()
}
