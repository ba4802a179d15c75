import fc from 'fast-check'
import type { Chain } from '../../../packages/chain/src/chains.js'
import { FileIdentities } from '../../../packages/provider/src/access/files/file-identity.js'
import { orderEvents } from '../../../packages/provider/src/orders/events.js'
import { verifyOrder } from '../../../packages/provider/src/orders/verify.js'
import { CHAIN_ID, CONSUMER, DATATOKEN, KEY, TX } from '../lib/honest.js'
import { asLog, logs } from '../lib/logs.js'
import { holds, target } from '../lib/target.js'

const chain = { chainId: CHAIN_ID, keys: [KEY] } as unknown as Chain
const claim = {
  chain,
  txId: TX,
  datatoken: DATATOKEN,
  serviceIndex: 0,
  serviceId: 'a',
  fileIndex: 0,
  identities: new FileIdentities('did:op:1', [{}], [KEY]),
  timeout: 3600,
  consumer: CONSUMER,
}

const CHECKING = { waitForTransaction: false, now: 1_700_000_000, signal: new AbortController().signal }

/** The events of a transaction that is claimed as an order: without a signed quote it is never accepted. */
export default target({
  inputs: fc.record({ emitted: logs(), compute: fc.boolean() }),
  async read({ emitted, compute }) {
    const events = orderEvents(emitted.map(asLog), DATATOKEN)
    holds(events.length <= emitted.length, 'a log yields at most one order')
    const transactions = { read: async () => ({ events }), quotesEndSince: 0, isMissingKey: () => false }
    const environments = compute ? { environments: ['a'] } : {}
    await verifyOrder({ ...claim, ...environments }, transactions as never, CHECKING)
    holds(false, 'an order without an own quote is rejected')
  },
})
