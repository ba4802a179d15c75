import type { Address } from 'viem'
import { parseObject } from './parsers/basic.js'
import { address } from './parsers/chains.js'

/** One rule of PROVIDER_FEES. A missing condition matches everything, except that a missing type means access. */
export interface FeeRule {
  /** The configured name, or else the position in the list, from 1. */
  name: string
  chain?: number
  /** DID. */
  asset?: string
  /** First owner of the data NFT. */
  publisher?: Address
  type: 'access' | 'compute'
  token?: Address
  /** Amounts in the token's smallest unit. */
  flat: bigint
  perGiB: bigint
  perDay: bigint
}

/** Upper limit of amounts: below it, no size or time makes a fee overflow the contract's type. */
const MAX_AMOUNT = 1n << 192n
const MAX_RULES = 1000
const FIELDS = ['name', 'chain', 'asset', 'publisher', 'type', 'token', 'flat', 'perGiB', 'perDay']
const AMOUNTS = ['flat', 'perGiB', 'perDay']

/** Name in quotes of the fee of PROVIDER_FEE_AMOUNT or of a compute environment. */
export const DEFAULT_RULE = 'default'

/** Parses the rules. Throws an Error that names every wrong rule and field. */
export function feeRules(raw: string): FeeRule[] {
  const list = parseObject(raw)
  if (!Array.isArray(list)) throw new Error('must be a JSON list of rules')
  if (list.length > MAX_RULES) throw new Error(`must hold at most ${MAX_RULES} rules`)
  const problems: string[] = []
  const rules = list.map((entry: unknown, at) => rule(entry, at + 1, problems))
  const names = rules.map(({ name }) => name)
  for (const [at, name] of names.entries())
    if (name === DEFAULT_RULE || names.indexOf(name) < at)
      problems.push(`rule ${at + 1}: name is taken by another rule, or by the fee that holds without rules`)
  if (problems.length > 0) throw new Error(`is wrong in ${problems.join('; ')}`)
  return rules
}

function rule(entry: unknown, place: number, problems: string[]): FeeRule {
  const report = (text: string) => problems.push(`rule ${place}: ${text}`)
  const isObject = typeof entry === 'object' && entry !== null && !Array.isArray(entry)
  if (!isObject) report('must be an object')
  const fields = (isObject ? entry : {}) as Record<string, unknown>
  for (const field of Object.keys(fields))
    if (!FIELDS.includes(field)) report(`has a field that is none of ${FIELDS.join(', ')}`)
  if (isObject && !AMOUNTS.some((field) => field in fields)) report(`needs one of ${AMOUNTS.join(', ')}`)
  function read<T>(field: string, parse: (value: unknown) => T): T | undefined {
    if (fields[field] === undefined) return undefined
    try {
      return parse(fields[field])
    } catch (error) {
      report(`${field} ${(error as Error).message}`)
      return undefined
    }
  }
  const optional = {
    chain: read('chain', chainId),
    asset: read('asset', did),
    publisher: read('publisher', (value) => address(String(value))),
    token: read('token', token),
  }
  return {
    name: read('name', name) ?? String(place),
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) as Partial<FeeRule>),
    type: read('type', serviceType) ?? 'access',
    flat: read('flat', amount) ?? 0n,
    perGiB: read('perGiB', amount) ?? 0n,
    perDay: read('perDay', amount) ?? 0n,
  }
}

function name(value: unknown): string {
  if (typeof value !== 'string' || !/^[\w.-]{1,64}$/.test(value))
    throw new Error('must be 1 to 64 letters, digits, dots, hyphens or underscores')
  return value
}

function chainId(value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 1) throw new Error('must be a chain id, a number')
  return value as number
}

function did(value: unknown): string {
  if (typeof value !== 'string' || !/^did:ope?:[0-9a-f]{64}$/.test(value)) throw new Error('must be a DID (did:op:…)')
  return value
}

function token(value: unknown): Address {
  const parsed = address(String(value))
  if (/^0x0+$/.test(parsed)) throw new Error('must not be the zero address: the contract would take no fee')
  return parsed
}

function serviceType(value: unknown): FeeRule['type'] {
  if (value !== 'access' && value !== 'compute') throw new Error('must be access or compute')
  return value
}

/** Parses a whole number from text or from an exact JSON number. */
function amount(value: unknown): bigint {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || !/^\d{1,58}$/.test(text) || BigInt(text) >= MAX_AMOUNT)
    throw new Error('must be a whole number in the smallest unit of the token, below 2^192, as text where it is large')
  return BigInt(text)
}
