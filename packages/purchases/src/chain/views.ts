import { untrustedViews } from '@tidegate/chain'
import * as abi from '@tidegate/protocol/abi'
import { parseAbi } from 'viem'

/** Calls a view of a token, a datatoken, an exchange, the factory or the router, none of which is trusted. */
export const callView = untrustedViews(
  parseAbi([
    ...abi.OFFERS,
    ...abi.SIGNED_PAYMENTS,
    abi.BALANCE_OF,
    abi.SYMBOL,
    'function name() view returns (string)',
    'function version() view returns (string)',
    abi.FIXED_RATES,
    abi.DISPENSERS,
    abi.EXCHANGE,
    abi.DISPENSER_STATUS,
  ]),
)
