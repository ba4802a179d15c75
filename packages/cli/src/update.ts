import { InvalidArgumentError } from '@commander-js/extra-typings'
import { CommandError, EXIT, misuse } from '@tidegate/provider/commands/failures'
import { addresses, collected, did, duration, forSigning, SERVICE, YES } from './people/options.js'
import { confirm, isInteractive } from './people/prompts.js'
import { inSession, type PeopleOptions } from './people/session.js'
import { shown } from './people/text.js'
import { price as priceOf } from './publish.js'

export const command = (finish: (code: number) => void) =>
  forSigning('update', 'tidegate update did:op:0c46… --description "With the heights of 2026" --tag tides')
    .description('Changes an asset of the account. Options that are left out change nothing.')
    .argument('<did>', 'the asset', did)
    .option('--name <name>', 'its name')
    .option('--description <text>', 'its description')
    .option('--author <name>', 'its author')
    .option('--license <name>', 'its licence: an SPDX identifier or a URL')
    .option('--tag <tag>', 'a new tag; may be repeated. Replaces all tags', collected)
    .option('--price <amount>', 'price of an order, in its present token', amountOnly)
    .option('--timeout <time>', 'how long an order is valid: 12h, 30d, 1y, or forever', duration)
    .option('--allow <address>', 'an account that may buy; may be repeated. Replaces the list', addresses)
    .option('--service-name <name>', 'name of the service')
    .option('--allow-everybody', 'let everybody buy')
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
  if (Object.keys(changes).length === 0) throw misuse('there is nothing to change: use --name, --description, --tag, …')
  return inSession(options, 'wallet', async ({ client, out, signal }) => {
    if (!options.yes && isInteractive()) {
      out.note(...Object.entries(changes).map(([what, value]) => `  ${what.padEnd(12)} ${shown(worded(value))}`))
      const asset = await client.asset(did, { signal })
      if (!(await confirm(`Apply these changes to "${shown(asset.name)}"?`)))
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

/** Parses an amount without a token: the token of an asset cannot change. */
function amountOnly(text: string): { amount: string } {
  const { amount, token } = priceOf(text)
  if (token) throw new InvalidArgumentError('The token of a price cannot be changed: publish the asset again.')
  return { amount }
}
