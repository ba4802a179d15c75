import { InvalidArgumentError } from '@commander-js/extra-typings'
import { CommandError, EXIT, misuse } from '@tidegate/provider/commands/failures'
import { addresses, collected, did, duration, forSigning, SERVICE, YES } from './people/options.js'
import { confirm, isInteractive } from './people/prompts.js'
import { inSession, type PeopleOptions } from './people/session.js'
import { shown } from './people/text.js'
import { price as priceOf } from './publish.js'

export const command = (finish: (code: number) => void) =>
  forSigning('update', 'tidegate update did:op:0c46… --description "With the heights of 2026" --tag tides')
    .description('Changes an asset that the account has published. What is not named stays as it is.')
    .argument('<did>', 'the asset', did)
    .option('--name <name>', 'what it is called')
    .option('--description <text>', 'what it is')
    .option('--author <name>', 'who made it')
    .option('--license <name>', 'what may be done with it: an SPDX name or a URL')
    .option('--tag <tag>', 'the words to be found by, all of them; may be repeated', collected)
    .option('--price <amount>', 'price of an order, in the token that it has', amountOnly)
    .option('--timeout <time>', 'how long an order is valid: 12h, 30d, 1y, or forever', duration)
    .option('--allow <address>', 'the accounts that may buy, all of them; may be repeated', addresses)
    .option('--service-name <name>', 'what the service is called')
    .option('--allow-everybody', 'end the list of those who may buy')
    .option(...SERVICE)
    .option(...YES)
    .action(async (did, options) => finish(await update(did, options)))

interface UpdateOptions extends PeopleOptions {
  name?: string
  description?: string
  author?: string
  license?: string
  tag?: string[]
  price?: { amount: string }
  timeout?: number
  allow?: `0x${string}`[]
  allowEverybody?: true
  service?: string
  serviceName?: string
  yes?: true
}

/** `tidegate update`. Returns the exit code. Throws CommandError, TidegateError. */
export async function update(did: string, options: UpdateOptions): Promise<number> {
  const {
    name,
    description,
    author,
    license,
    tag: tags,
    price,
    timeout,
    allow,
    allowEverybody,
    service,
    serviceName,
  } = options
  if (allow && allowEverybody) throw misuse('--allow and --allow-everybody contradict each other.')
  const access = allowEverybody ? null : allow
  const all = { name, description, author, license, tags, price, timeout, access, serviceName }
  const changes = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  if (Object.keys(changes).length === 0) throw misuse('say what changes: --name, --description, --tag, …')
  return inSession(options, 'wallet', async ({ client, out, signal }) => {
    if (!options.yes && isInteractive()) {
      out.note(...Object.entries(changes).map(([what, value]) => `  ${what.padEnd(12)} ${shown(worded(value))}`))
      const asset = await client.asset(did, { signal })
      if (!(await confirm(`Change "${shown(asset.name)}" so?`)))
        throw new CommandError('NOT_CONFIRMED', 'nothing was changed.', EXIT.notConfirmed)
    }
    const { transactions } = await client.update(did, { ...changes, ...(service ? { service } : {}), onStep: out.step })
    for (const transaction of transactions) out.note(`mined: ${transaction}`)
    out.print(`${did} is changed.`)
    out.result({ did, changed: Object.keys(changes), transactions })
  })
}

function worded(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  if (value === null) return 'everybody'
  return typeof value === 'object' ? (value as { amount: string }).amount : String(value)
}

/** The token of an asset stays as it is. */
function amountOnly(text: string): { amount: string } {
  const { amount, token } = priceOf(text)
  if (token) throw new InvalidArgumentError('The token of an asset cannot be changed: publish it again.')
  return { amount }
}
