import type { PaymentPayload } from '@x402/core/types'
import type { Random } from '../lib/random.js'

const authorizationOf = ({ payload }: PaymentPayload) => payload.authorization as Record<string, string>

const flipped = (hex: string) => hex.slice(0, -3) + (hex.at(-3) === '1' ? '2' : '1') + hex.slice(-2)

/** Changes of a payment that make it another one, by what they change. Payee and signature do not: a token accepts a nonce of a payer once. */
const CHANGES: [what: string, change: (payment: PaymentPayload) => void][] = [
  ['another value', (p) => (authorizationOf(p).value += '0')],
  ['a smaller value', (p) => (authorizationOf(p).value = '1')],
  ['another end', (p) => (authorizationOf(p).validBefore = `${Number(authorizationOf(p).validBefore) - 60}`)],
  ['another nonce', (p) => (authorizationOf(p).nonce = flipped(authorizationOf(p).nonce as string))],
  ['another payer', (p) => (authorizationOf(p).from = `0x${'2'.repeat(40)}`)],
  ['another token', (p) => (p.accepted.asset = `0x${'3'.repeat(40)}`)],
  ['another network', (p) => (p.accepted.network = 'eip155:1')],
]

/** Returns a changed copy of the header of a payment, and what was changed. */
export function changed(header: string, random: Random): [what: string, header: string] {
  const payment = JSON.parse(Buffer.from(header, 'base64').toString()) as PaymentPayload
  const [what, change] = random.one(CHANGES)
  change(payment)
  return [what, Buffer.from(JSON.stringify(payment)).toString('base64')]
}
