import fc from 'fast-check'
import { type Hex, stringToHex } from 'viem'
import type { Chain } from '../../../packages/chain/src/chains.js'
import {
  type EmittedFee,
  isOwnQuote,
  quotedEnvironment,
  quoteFee,
} from '../../../packages/provider/src/orders/quote.js'
import { CHAIN_ID, DATATOKEN, KEY, NFT, OLD_KEY } from '../lib/honest.js'
import { mutated, mutatedJson } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const chain = { chainId: CHAIN_ID, key: KEY, fee: { token: NFT, amount: 5n } } as unknown as Chain
const REQUEST = { datatoken: DATATOKEN, serviceId: 'tide-access', environment: null, validUntil: 0, now: 1_700_000_000 }
const DATA = { environment: null, timestamp: 1, dt: DATATOKEN, id: 'tide-access' }

/** Fees that a contract emitted: own quotes, tampered ones, and other messages signed with the own key. */
export default target({
  inputs: fc.record({
    serviceId: fc.oneof(fc.constant('tide-access'), edgeCaseText()),
    data: fc.oneof(mutatedJson(fc.constant(DATA)), edgeCaseText()),
    changed: mutated<Record<string, unknown>>(fc.constant({ v: 27, r: 'r', s: 's', amount: 5n, until: 0n }), 2),
  }),
  read({ serviceId, data, changed }) {
    const { providerFeeAmount, validUntil, ...rest } = quoteFee(chain, {
      ...REQUEST,
      serviceId: serviceId.replace(/[\ud800-\udfff]/g, ''),
    })
    const own: EmittedFee = { ...rest, providerFeeAmount: BigInt(providerFeeAmount), validUntil: BigInt(validUntil) }
    const wanted = { datatoken: DATATOKEN, serviceId: serviceId.replace(/[\ud800-\udfff]/g, '') }
    holds(isOwnQuote(own, { keys: [OLD_KEY, KEY], chainId: CHAIN_ID }, wanted), 'an own quote is recognized')
    holds(quotedEnvironment(own) === null, 'a quote for access names no environment')
    const { amount, until, v } = Object(changed) as Record<string, unknown>
    const word = (value: unknown, fallback: bigint) =>
      typeof value === 'bigint' ? BigInt.asUintN(256, value) : fallback
    const emitted = {
      ...own,
      providerFeeAmount: word(amount, 5n),
      validUntil: word(until, 0n),
      v: typeof v === 'number' ? v & 255 : 27,
      providerData: stringToHex(data) as Hex,
    }
    const same =
      emitted.providerFeeAmount === 5n && emitted.validUntil === 0n && emitted.providerData === own.providerData
    holds(same || !isOwnQuote(emitted, { keys: [KEY], chainId: CHAIN_ID }, wanted), 'a tampered quote is rejected')
    quotedEnvironment(emitted)
  },
})
