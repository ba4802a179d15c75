import { Command, InvalidArgumentError } from '@commander-js/extra-typings'

/** A command for people, with the options that all of them share and an example under its help. */
export const forReading = (name: string, example: string) =>
  new Command(name)
    .addHelpText('after', `\nExample:\n  ${example}`)
    .option(
      '--provider <url>',
      'the provider (default: TIDEGATE_PROVIDER, `tidegate use`, or a running `tidegate dev`)',
    )
    .option('--rpc <url>', 'a node of its chain (default: TIDEGATE_RPC, or the one kept for this provider)')
    .option('--json', 'print one JSON object on standard output')

/** The same for commands that sign. */
export const forSigning = (name: string, example: string) =>
  forReading(name, example)
    .option(
      '--keystore <file>',
      'the account: an encrypted key; asks for its password, or reads TIDEGATE_PASSWORD_FILE',
    )
    .option('--account <n>', 'an account of a local network, 0 to 9 (default: TIDEGATE_PRIVATE_KEY)', whole)

/** Do not ask. */
export const YES = ['-y, --yes', 'do not ask'] as const

/** The most that is paid: of a token by its address, or of whatever single token the price is in. */
export interface Cap {
  amount: string
  token?: `0x${string}`
}

/** A cap on the whole price, as AMOUNT or AMOUNT:TOKEN. */
export const MAX_PRICE = ['--max-price <amount[:token]>', 'pay no more than this in all, fees included', cap] as const

/** Throws InvalidArgumentError. */
export function cap(text: string): Cap {
  const [amount = '', token, ...more] = text.split(':')
  if (!/^\d{1,60}(\.\d{1,60})?$/.test(amount) || more.length > 0)
    throw new InvalidArgumentError(
      'It must be an amount such as 5 or 5.25, or AMOUNT:TOKEN with the address of a token.',
    )
  return token === undefined ? { amount } : { amount, token: address(token) }
}

export const SERVICE = ['--service <id>', 'one of its services (default: the first that gives access)'] as const

/** What an order is for. Only at a fee by size does an order for one file open no other. */
export const FILE = ['--file <n>', 'one of its files, counted from 0 (default: all of them)', whole] as const

/** Adds a value to an option that may be given more than once. */
export const collected = (value: string, earlier: string[] | undefined): string[] => [...(earlier ?? []), value]

/** A whole number from 0. Throws InvalidArgumentError. */
export function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

export function did(text: string): string {
  if (!/^did:op:[0-9a-f]{64}$/i.test(text))
    throw new InvalidArgumentError('It must be a DID: did:op: and 64 hexadecimal digits.')
  return text.toLowerCase()
}

export function address(text: string): `0x${string}` {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new InvalidArgumentError('It must be an address: 0x and 40 digits.')
  return text as `0x${string}`
}

/** The hash of a transaction. Throws InvalidArgumentError. */
export function hash(text: string): `0x${string}` {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) throw new InvalidArgumentError('It must be a transaction: 0x and 64 digits.')
  return text as `0x${string}`
}

export const addresses = (text: string, earlier: `0x${string}`[] | undefined) => [...(earlier ?? []), address(text)]

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000 }

/** Seconds of a text such as 90s, 12h, 30d; `forever` is 0. Throws InvalidArgumentError. */
export function duration(text: string): number {
  if (text === 'forever') return 0
  const [, digits, unit = 's'] = /^(\d{1,9})([smhdwy])?$/.exec(text) ?? []
  const seconds = Number(digits) * (UNITS[unit] as number)
  if (digits === undefined || !Number.isSafeInteger(seconds))
    throw new InvalidArgumentError('It must be a time such as 12h, 30d or 1y, or forever.')
  return seconds
}
