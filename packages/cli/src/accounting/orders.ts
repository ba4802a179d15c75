import type { Order } from '@tidegate/client'
import { misuse } from '@tidegate/provider/commands/failures'
import { timeText } from '../people/amounts.js'
import { address, forSigning } from '../people/options.js'
import { shown } from '../people/output/text.js'
import { inSession, type PeopleOptions } from '../people/session.js'
import { paidJson, paidText } from './payments.js'

export const command = (finish: (code: number) => void) =>
  forSigning('orders', 'tidegate orders --account 2')
    .description('Lists what an account has bought, and until when it can download it.')
    .argument('[address]', 'the account (default: that of --keystore or --account)', address)
    .action(async (of, options) => finish(await orders(of, options)))

/** `tidegate orders`. Returns the exit code. Throws CommandError, TidegateError. */
export async function orders(of: `0x${string}` | undefined, options: PeopleOptions): Promise<number> {
  return inSession(options, 'reader', async ({ client, out, address: own }) => {
    const account = of ?? own
    if (!account) throw misuse('no account is named: give an address, --keystore FILE or --account N.')
    let incompleteBefore: Date | undefined
    const onIncomplete = (before: Date) => {
      incompleteBefore = before
      out.note(`the node has no orders before ${timeText(before)}`)
    }
    const found = await client.orders(account, { onIncomplete, payments: true })
    out.print(...(found.length > 0 ? found.flatMap(lines) : [`${account} has bought nothing here.`]))
    out.result({ address: account, orders: found.map(orderJson), ...(incompleteBefore ? { incompleteBefore } : {}) })
  })
}

const orderJson = ({ paid, ...order }: Order) => ({ ...order, ...(paid ? { paid: paidJson(paid) } : {}) })

function lines({ tx, did, name, service, file, started, expires, refused, paid }: Order): string[] {
  const isOver = expires !== undefined && expires.getTime() < Date.now()
  const usual = expires === undefined ? 'valid forever' : `${isOver ? 'ended' : 'valid until'} ${timeText(expires)}`
  const end = refused === undefined ? usual : `cannot be used: ${shown(refused)}`
  const only = file === undefined ? '' : `, only file ${file}`
  const title = name ? `${shown(name, 100)} (${did})` : did
  const price = paid ? `, ${paidText(paid)}` : ''
  return [title, `  service ${shown(service)}${only}, ordered ${timeText(started)}, ${end}`, `  order ${tx}${price}`]
}
