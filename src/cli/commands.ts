import type { CommandUnknownOpts } from '@commander-js/extra-typings'

/** A command's module. `finish` receives the exit code. */
interface CommandModule {
  command(finish: (code: number) => void): CommandUnknownOpts
}

/** Whom a command is for: the headings of `tidegate --help`. */
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

/** Every command, in the order of `tidegate --help`. Each module is loaded when its command is used. */
export const COMMANDS: Record<string, CommandEntry> = {
  publish: people('publish files, free or for a price', () => import('./publish.js')),
  search: people('search the assets of the provider', () => import('./search.js')),
  show: people('show an asset: price, files, licence, state', () => import('./show.js')),
  quote: people('show the whole price of a service', () => import('./quote.js')),
  buy: people('buy access to a service', () => import('./buy.js')),
  get: people('download files, and buy them first where that is needed', () => import('./get.js')),
  orders: people('list what an account has bought', () => import('./orders.js')),
  assets: people('list what an account has published', () => import('./assets.js')),
  update: people('change name, description, tags, licence or price of an asset', () => import('./update.js')),
  revoke: people('end the access to an asset', () => import('./revoke.js')),
  restore: people('give access to an asset again', () => import('./restore.js')),
  token: people('create and delete tokens that stand for your signature', () => import('./token.js')),
  link: people('make a download link for browsers and download managers', () => import('./link.js')),
  use: people('keep which provider and node the commands use', () => import('./use.js')),
  completion: people('print the completion script of a shell', async () =>
    (await import('./completion.js')).completionOf(COMMANDS),
  ),
  start: operators('run the service with the settings of the environment', () => import('./start.js')),
  config: operators('print the settings in force, without secrets', () => import('./config.js')),
  doctor: operators('check settings, keys, nodes, database and gateways', () => import('./doctor.js')),
  health: operators('check whether the service on this machine is live', () => import('./health.js')),
  reindex: operators(
    'rebuild the index from the chain while the current one stays in use',
    () => import('./reindex.js'),
  ),
  report: operators('report deliveries, bytes, orders and fees', () => import('./report.js')),
  files: operators('list and delete hosted files', () => import('./files.js')),
  keys: operators('create, import and check encrypted private keys', () => import('./keys.js')),
  import: operators('import nonces and deleted tokens from a legacy service', () => import('./import.js')),
  state: operators(
    'copy, back up, restore and check nonces and all other persistent state',
    () => import('./state.js'),
  ),
  dev: operators('run a local chain with the contracts, and the service on it', () => import('./dev.js')),
}
