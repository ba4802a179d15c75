import type { PaymentStore } from '@tidegate/client'
import { keep, kept } from '../kept.js'

const NAME = 'payments'

/** Signed payments by purchase. */
type Payments = Record<string, string>

const read = (): Payments =>
  kept(
    NAME,
    (value) => Object.fromEntries(Object.entries(value as Payments).filter((pair) => typeof pair[1] === 'string')),
    {},
  )

/** Keeps signed payments of this browser until their outcome is known: a page that is loaded again sends the same one. */
export const PAYMENTS: PaymentStore = {
  find: async (key) => read()[key],
  async add(key, payment) {
    const payments = read()
    const earlier = payments[key]
    if (earlier !== undefined) return earlier
    keep(NAME, { ...payments, [key]: payment })
    return payment
  },
  async remove(key, payment) {
    const { [key]: found, ...others } = read()
    if (found === payment) keep(NAME, others)
  },
}
