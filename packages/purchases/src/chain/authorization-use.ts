import type { Chain } from '@tidegate/chain'
import { encodeEventTopics, type Hex, numberToHex, pad } from 'viem'
import { PURCHASE_LIMITS } from '../limits.js'
import type { Payment } from '../purchase.js'
import type { AuthorizationUse, ChainView } from './paying-chain.js'
import { PAYMENT_EVENTS } from './token-events.js'
import { callView } from './views.js'

const topicOf = (eventName: 'AuthorizationUsed' | 'AuthorizationCanceled') =>
  encodeEventTopics({ abi: PAYMENT_EVENTS, eventName })[0] as Hex
const [USED, CANCELED] = [topicOf('AuthorizationUsed'), topicOf('AuthorizationCanceled')]

/**
 * Returns what a token has done with an authorization for any sender. After its end the events decide, and not what the token says: both
 * could lie, and only an event tells of tokens that have arrived. Throws ChainError.
 */
export async function authorizationUse(
  { nodes }: Chain,
  { token, payer, nonce, validBefore }: Payment,
  { head, final }: ChainView,
): Promise<AuthorizationUse> {
  const isUsed = await nodes.ask((_client, call) => callView(call, token, 'authorizationState', [payer, nonce]), {
    agreeOn: (found) => found,
    since: head.block,
  })
  if (isUsed === false && final.time < validBefore) return 'unused'
  const { most, atOnce } = PURCHASE_LIMITS.searched
  // no payment is taken that is valid for longer
  const since = validBefore - PURCHASE_LIMITS.payment.ahead
  const lowest = Math.max(0, final.block - most + 1)
  for (let last = final.block; last >= lowest; last -= atOnce) {
    const first = Math.max(lowest, last - atOnce + 1)
    const filter = {
      ...{ address: token, topics: [[USED, CANCELED], pad(payer), nonce] },
      ...{ fromBlock: numberToHex(first), toBlock: numberToHex(last) },
    } as const
    const { logs, time } = await nodes.ask(
      async (client) => {
        const [logs, { timestamp }] = await Promise.all([
          client.request({ method: 'eth_getLogs', params: [filter as never] }) as Promise<EventLog[]>,
          client.getBlock({ blockNumber: BigInt(first) }),
        ])
        return {
          logs: logs.map(({ topics, transactionHash }) => ({ topics, transactionHash })),
          time: Number(timestamp),
        }
      },
      { agreeOn: (found) => found },
    )
    const [event] = logs
    if (event) return event.topics[0] === USED ? { tx: event.transactionHash } : 'canceled'
    if (time < since || first === 0) return isUsed === false ? 'unused' : 'untold'
  }
  return isUsed === false ? 'unused' : 'undecided'
}

interface EventLog {
  topics: Hex[]
  transactionHash: Hex
}
