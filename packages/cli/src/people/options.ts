import { Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { checksummed, isAddressText } from '@tidegate/protocol'
import { SECONDS } from '@tidegate/protocol/constants'

/** Returns a command for publishers and buyers with the common options and an example in its help. */
export const forReading = (name: string, example: string) =>
  new Command(name)
    .addHelpText('after', `\nExample:\n  ${example}`)
    .option(
      '--provider <url>',
      'the provider (default: TIDEGATE_PROVIDER, `tidegate use`, or a running `tidegate dev`)',
    )
    .option('--rpc <url>', 'a node of its chain (default: TIDEGATE_RPC, or the one saved for this provider)')
    .option('--json', 'print one JSON object on standard output')

/** Like `forReading`, for commands that sign. */
export const forSigning = (name: string, example: string) =>
  forReading(name, example)
    .option(
      '--keystore <file>',
      'the account: an encrypted key; asks for its password, or reads TIDEGATE_PASSWORD_FILE',
    )
    .option('--account <n>', 'an account of a local network, 0 to 9 (default: TIDEGATE_PRIVATE_KEY)', whole)

export const YES = ['-y, --yes', 'do not ask'] as const

/** The highest price: in one token, by address or by a symbol of the network's list, or in the price's only token. */
export interface Cap {
  amount: string
  token?: string
}

/** The limit of the total price, as AMOUNT or AMOUNT:TOKEN. */
export const MAX_PRICE = ['--max-price <amount[:token]>', 'highest total price, with all fees', cap] as const

/** Throws InvalidArgumentError. */
export function cap(text: string): Cap {
  const [amount = '', named, ...more] = text.split(':')
  if (!/^\d{1,60}(\.\d{1,60})?$/.test(amount) || more.length > 0)
    throw new InvalidArgumentError(
      'It must be an amount such as 5 or 5.25, or AMOUNT:TOKEN with the symbol or the address of a token.',
    )
  return named === undefined ? { amount } : { amount, token: token(named) }
}

/** Payment by one signature, instead of transactions of the account. */
export const PAY_WITH = [
  '--pay-with <token>',
  'pay by one signature in this token, by symbol or address: the provider orders, and the account needs no coins of the chain',
  token,
] as const

/** Limits of `tidegate mcp`, each of one token. */
export const MAX_SPEND = [
  '--max-spend <amount:token>',
  'highest total of the session in a token, with all fees except gas; repeatable (default: only free assets)',
  caps,
] as const
export const MAX_DAY = [
  '--max-day <amount:token>',
  'highest total of a day (UTC) in a token, over all sessions with the account; repeatable',
  caps,
] as const
export const MAX_EACH = [
  '--max-each <amount:token>',
  'highest price of one order in a token; repeatable',
  caps,
] as const

function caps(text: string, earlier: Required<Cap>[] | undefined): Required<Cap>[] {
  const { amount, token } = cap(text)
  if (token === undefined)
    throw new InvalidArgumentError('It must be AMOUNT:TOKEN, with the symbol or the address of a token.')
  return [...(earlier ?? []), { amount, token }]
}

/** Parses a token: an address, or a symbol. Only the network's list knows the symbols. Throws InvalidArgumentError. */
export function token(text: string): string {
  if (/^0x/i.test(text)) return address(text)
  if (!/^[A-Za-z0-9._-]{1,20}$/.test(text))
    throw new InvalidArgumentError('The token must be a symbol such as USDC, or an address.')
  return text
}

/** Accepts the terms of an asset. Separate from --yes, which accepts the price. */
export const ACCEPT_TERMS = ['--accept-terms', 'accept the terms of the asset, which `show` names'] as const

export const SERVICE = ['--service <id>', 'one of its services (default: the first that gives access)'] as const

/** The file of an order. At a fee by size, an order for one file opens no other. */
export const FILE = [
  '--file <n|name>',
  'a file, by its number from 0 or its name (default: all files)',
  whichFile,
] as const

/** Collects the values of a repeated option. */
export const collected = (value: string, earlier: string[] | undefined): string[] => [...(earlier ?? []), value]

/** A file of a service, by its number or its name. Numbers may change with the next version of the asset. */
export type WhichFile = number | string

export function whichFile(text: string): WhichFile {
  if (text === '') throw new InvalidArgumentError('It must be a number or a name.')
  return /^\d{1,9}$/.test(text) ? Number(text) : text
}

/** Parses a whole number from 0. Throws InvalidArgumentError. */
export function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

export function did(text: string): string {
  if (!/^did:op:[0-9a-f]{64}$/i.test(text))
    throw new InvalidArgumentError('It must be a DID: did:op: and 64 hexadecimal digits.')
  return text.toLowerCase()
}

/** Parses an address. Letters of both cases are a checksum, which must be right. Throws InvalidArgumentError. */
export function address(text: string): `0x${string}` {
  if (!isAddressText(text)) throw new InvalidArgumentError('It must be an address: 0x and 40 digits.')
  const digits = text.slice(2)
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  if (isMixed && checksummed(text) !== text)
    throw new InvalidArgumentError('Its upper and lower case do not fit: copy the address again.')
  return text
}

/** Parses the hash of a transaction. Throws InvalidArgumentError. */
export function hash(text: string): `0x${string}` {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) throw new InvalidArgumentError('It must be a transaction: 0x and 64 digits.')
  return text as `0x${string}`
}

export const addresses = (text: string, earlier: `0x${string}`[] | undefined) => [...(earlier ?? []), address(text)]

/** Collects access lists, or `none` alone. Throws InvalidArgumentError. */
export function accessLists(text: string, earlier: (`0x${string}` | 'none')[] = []): (`0x${string}` | 'none')[] {
  if (earlier.length > 0 && (text === 'none' || earlier.includes('none')))
    throw new InvalidArgumentError('none stands alone.')
  return [...earlier, text === 'none' ? text : address(text)]
}

const UNITS: Record<string, number> = {
  s: 1,
  m: SECONDS.minute,
  h: SECONDS.hour,
  d: SECONDS.day,
  w: 7 * SECONDS.day,
  y: SECONDS.year,
}

/** Parses a duration such as 90s, 12h, 30d into seconds; `forever` is 0. Throws InvalidArgumentError. */
export function duration(text: string): number {
  if (text === 'forever') return 0
  const [, digits, unit = 's'] = /^(\d{1,9})([smhdwy])?$/.exec(text) ?? []
  const seconds = Number(digits) * (UNITS[unit] as number)
  if (digits === undefined || !Number.isSafeInteger(seconds))
    throw new InvalidArgumentError('It must be a time such as 12h, 30d or 1y, or forever.')
  return seconds
}

/** Parses a day or a time in UTC. Throws InvalidArgumentError. */
export function time(text: string): Date {
  const isForm = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?Z)?$/.test(text)
  const parsed = new Date(text)
  // a day such as 2026-02-31 becomes another one
  if (!isForm || Number.isNaN(parsed.getTime()) || !parsed.toISOString().startsWith(text.slice(0, 10)))
    throw new InvalidArgumentError('It must be a day such as 2026-11-01, or a time such as 2026-11-01T12:00:00Z.')
  return parsed
}
