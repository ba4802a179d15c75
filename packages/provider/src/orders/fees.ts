import type { Chain, Chains } from '@tidegate/chain'
import { SECONDS } from '@tidegate/protocol/constants'
import { type Address, zeroAddress } from 'viem'
import { DEFAULT_RULE, type FeeRule } from '../config/fee-rules.js'
import type { ComputeEnvironment } from '../config/parsers/chains.js'

/** The properties of an order for rules. */
export interface FeeSubject {
  chain: Chain
  did: string
  /** Returns the first owner of the data NFT; undefined if unknown. Called only if a rule needs it. */
  publisher(): Promise<Address | undefined>
  serviceType: string
}

/** The provider fee of an order. */
export interface Price {
  token: Address
  /** In the token's smallest unit. */
  amount: bigint
}

/** Size and time of an order, for its fee. */
export interface OrderedAmount {
  /** Bytes of all files that the order opens. */
  bytes: bigint
  /** Seconds until `validUntil`; zero or negative: no end. */
  seconds: number
  /** Seconds of access per order; 0: no limit. */
  timeout: number
}

const GIB = 1n << 30n
const DAY = BigInt(SECONDS.day)

/** Returns the first matching rule; undefined: the default fee applies. */
export async function fittingRule(rules: readonly FeeRule[], subject: FeeSubject): Promise<FeeRule | undefined> {
  for (const rule of rules) if (await fits(rule, subject)) return rule
  return undefined
}

async function fits(rule: FeeRule, { chain, did, publisher, serviceType }: FeeSubject): Promise<boolean> {
  if (rule.type !== (serviceType === 'compute' ? 'compute' : 'access')) return false
  if (rule.chain !== undefined && rule.chain !== chain.chainId) return false
  if (rule.asset !== undefined && rule.asset !== did) return false
  return rule.publisher === undefined || rule.publisher === (await publisher())
}

/** Returns the fee of a rule. Each part is rounded up to a whole unit. */
export function priceByRule(rule: FeeRule, chain: Chain, { bytes, seconds, timeout }: OrderedAmount): Price {
  // an access order pays for the access time of its service, whatever its validUntil
  const time = BigInt(Math.max(1, seconds, rule.type === 'access' ? timeout : 0))
  const amount = rule.flat + dividedUp(rule.perGiB * bytes, GIB) + rule.perDay * dividedUp(time, DAY)
  return { token: rule.token ?? chain.fee.token, amount }
}

/** Returns the bytes of all files. An unknown size counts as zero. */
export function totalBytes(sizes: readonly (number | undefined)[]): bigint {
  const known = sizes.filter((size) => Number.isSafeInteger(size) && (size as number) > 0) as number[]
  return known.reduce((sum, size) => sum + BigInt(size), 0n)
}

/** Returns the default fee: of the environment, or else of the chain. */
export function defaultPrice({ fee }: Chain, environment: ComputeEnvironment | null, seconds: number): Price {
  if (environment === null) return fee
  // each started minute counts
  return { token: fee.token, amount: environment.pricePerMinute * BigInt(Math.max(0, Math.ceil(seconds / 60))) }
}

/** Returns the name of the rule for a quote. */
export const nameOf = (rule: FeeRule | undefined) => rule?.name ?? DEFAULT_RULE

/** Returns the problems of the rules with the served chains, one line each. */
export function ruleProblems(rules: readonly FeeRule[], chains: Chains): string[] {
  return rules.flatMap((rule, at) => {
    const where = `PROVIDER_FEES: rule ${at + 1}:`
    if (rule.chain !== undefined && !chains.has(rule.chain)) return `${where} chain ${rule.chain} is not served.`
    if (rule.token !== undefined || rule.flat + rule.perGiB + rule.perDay === 0n) return []
    const lacking = [...chains.values()].filter(
      ({ chainId, fee }) => (rule.chain ?? chainId) === chainId && fee.token === zeroAddress,
    )
    return lacking.map(({ chainId }) => `${where} token must be set, since chain ${chainId} has no PROVIDER_FEE_TOKEN.`)
  })
}

function dividedUp(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by
}
