import type { Chain } from '@tidegate/chain'
import { encodeEventTopics, type Hex, pad } from 'viem'
import { PURCHASE_LIMITS } from '../limits.js'
import type { Payment } from '../purchase.js'
import type { AuthorizationUse, ChainView } from './paying-chain.js'
import { PAYMENT_EVENTS } from './token-events.js'
import { callView } from './views.js'

const topicOf = (eventName: 'AuthorizationUsed' | 'AuthorizationCanceled') =>
  encodeEventTopics({ abi: PAYMENT_EVENTS, eventName })[0] as Hex
const [USED, CANCELED] = [topicOf('AuthorizationUsed'), topicOf('AuthorizationCanceled')]

/** Returns what a token has done with an authorization for any sender. Throws ChainError. */
export async function authorizationUse(
  { nodes }: Chain,
  { token, payer, nonce }: Payment,
  { head, final }: ChainView,
): Promise<AuthorizationUse> {
  const isUsed = await nodes.ask((_client, call) => callView(call, token, 'authorizationState', [payer, nonce]), {
    agreeOn: (found) => found,
    since: head.block,
  })
  if (isUsed !== true) return isUsed === undefined ? 'undecided' : 'unused'
  const { most, atOnce } = PURCHASE_LIMITS.searched
  for (let last = final.block; last > final.block - most && last >= 0; last -= atOnce) {
    const filter = {
      ...{ address: token, topics: [[USED, CANCELED], pad(payer), nonce] },
      ...{ fromBlock: `0x${Math.max(0, last - atOnce + 1).toString(16)}`, toBlock: `0x${last.toString(16)}` },
    } as const
    const found = await nodes.ask(
      async (client) => (await client.request({ method: 'eth_getLogs', params: [filter as never] })) as EventLog[],
      { agreeOn: (logs) => logs.map(({ transactionHash, topics }) => [transactionHash, topics]) },
    )
    const [event] = found
    if (event) return event.topics[0] === USED ? { tx: event.transactionHash } : 'canceled'
  }
  return 'undecided'
}

interface EventLog {
  topics: Hex[]
  transactionHash: Hex
}
