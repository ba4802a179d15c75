import type { CommandUnknownOpts } from '@commander-js/extra-typings'

/** A command's module. `finish` receives the exit code. */
interface CommandModule {
  command(finish: (code: number) => void): CommandUnknownOpts
}

/** Headings of `tidegate --help`, by reader. */
export const GROUPS = { people: 'Publish and buy:', operators: 'Operate a provider:' } as const

export interface CommandEntry {
  group: keyof typeof GROUPS
  /** Its line in `tidegate --help`. */
  summary: string
  load(): Promise<CommandModule>
}

const people = (summary: string, load: CommandEntry['load']): CommandEntry => ({ group: 'people', summary, load })
const operators = (summary: string, load: CommandEntry['load']): CommandEntry => ({
  group: 'operators',
  summary,
  load,
})

/** All commands, in the order of `tidegate --help`. Each module loads when its command is used. */
export const COMMANDS: Record<string, CommandEntry> = {
  publish: people('publish files, free or for a price', () => import('./publish.js')),
  search: people('search the assets of the provider', () => import('./search.js')),
  show: people('show an asset: price, files, licence, state', () => import('./show.js')),
  quote: people('show the total price of a service', () => import('./quote.js')),
  buy: people('buy access to a service', () => import('./buy.js')),
  get: people('download files, and buy them first if necessary', () => import('./get.js')),
  orders: people('list what an account has bought', () => import('./accounting/orders.js')),
  receipt: people('show the receipt of an order', () => import('./accounting/receipt.js')),
  assets: people('list what an account has published', () => import('./assets.js')),
  sales: people('list the orders of your assets, with all payments', () => import('./accounting/sales.js')),
  update: people('change files, price, texts or state of an asset', () => import('./update.js')),
  revoke: people('end the access to an asset', () => import('./revoke.js')),
  restore: people('put an asset on sale again', () => import('./restore.js')),
  list: people('create and change lists of the accounts that may buy', () => import('./list.js')),
  token: people('create and delete tokens that replace your signature', () => import('./token.js')),
  link: people('create a download link for browsers and download managers', () => import('./link.js')),
  mcp: people('offer an agent on this machine tools to find, buy and download', () => import('./mcp.js')),
  use: people('save the provider and the node for the commands', () => import('./use.js')),
  completion: people('print the completion script of a shell', async () =>
    (await import('./completion.js')).completionOf(COMMANDS),
  ),
  start: operators(
    'run the service with the settings of the environment',
    () => import('@tidegate/provider/commands/start'),
  ),
  config: operators('print the settings in force, without secrets', () => import('@tidegate/provider/commands/config')),
  doctor: operators(
    'check settings, keys, nodes, database and gateways',
    () => import('@tidegate/provider/commands/doctor'),
  ),
  health: operators(
    'check whether the service on this machine is live',
    () => import('@tidegate/provider/commands/health'),
  ),
  reindex: operators(
    'rebuild the index from the chain while the current one stays in use',
    () => import('@tidegate/provider/commands/reindex'),
  ),
  report: operators('report deliveries, bytes, orders and fees', () => import('@tidegate/provider/commands/report')),
  files: operators('list and delete hosted files', () => import('@tidegate/provider/commands/files')),
  takedown: operators(
    'withhold an asset by a court order or a notice',
    () => import('@tidegate/provider/commands/takedown'),
  ),
  consumer: operators("export or forget an account's data", async () => {
    const [{ consumerOf }, { agreed }] = await Promise.all([
      import('@tidegate/provider/commands/consumer'),
      import('./people/agreement.js'),
    ])
    return consumerOf(agreed)
  }),
  keys: operators('create, import and check encrypted private keys', () => import('@tidegate/provider/commands/keys')),
  import: operators('import nonces and deleted tokens from a legacy service', () => import('@tidegate/legacy')),
  state: operators(
    'copy, back up, restore and check nonces and all other persistent state',
    () => import('@tidegate/provider/commands/state'),
  ),
  dev: operators('run a local chain with the contracts, and the service on it', () => import('./dev.js')),
}
