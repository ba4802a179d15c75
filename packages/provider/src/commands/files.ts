import { Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { jsonText, note, print, printJson } from '@tidegate/common/terminal'
import { allFiles, factsOf, HostedUses, type Hosting, isPublic, notFound } from '@tidegate/hosting'
import { HostingError, StartError } from '@tidegate/protocol'
import type { ProviderKey } from '@tidegate/protocol/keys'
import { HOSTED_ID } from '@tidegate/storage'
import { connectChains } from '../app/connect.js'
import { openHosting } from '../app/hosting.js'
import { openKeyring } from '../config/keyring.js'
import { loadSettings } from '../config/load.js'
import type { Settings } from '../config/schema.js'
import { openStore } from '../state/open.js'
import { CONFIG } from './options.js'

export const command = (finish: (code: number) => void) => {
  const files = new Command('files').description('Lists and deletes the files that this service hosts.')
  files
    .command('list')
    .description(
      'Lists hosted files with their ids, which are secrets, and the assets that use them. Reads the database alone; the assets of private files need the provider key.',
    )
    .option('--owner <address>', 'only files of this publisher')
    .option('--json', 'a JSON object in each line')
    .option(...CONFIG)
    .action(async (options) => finish(await list(options)))
  files
    .command('remove')
    .description('Deletes a hosted file; one that an asset uses only with --force.')
    .argument('<id>', 'its id', hostedId)
    .allowUnknownOption() // one id in 64 begins with a dash
    .option('--force', 'delete it although assets use it')
    .option(...CONFIG)
    .action(async (id, options) => finish(await remove(id, options)))
  return files
}

/** Parses the id of a hosted file. Throws InvalidArgumentError. */
function hostedId(text: string): string {
  if (!HOSTED_ID.test(text)) throw new InvalidArgumentError('It must be an id, as `tidegate files list` prints it.')
  return text
}

interface ListOptions {
  owner?: string | undefined
  json?: true | undefined
  config?: string | undefined
}

/** `tidegate files list`: prints a line for each hosted file. Returns the exit code. Throws StartError, StateError. */
async function list({ owner, json, config }: ListOptions): Promise<number> {
  const settings = loadSettings(process.env, config, 'database')
  const store = await openStore(settings, { readOnly: true })
  try {
    const keys = await lowestKeys(settings)
    const uses = new HostedUses(store.hosted, store.index, keys)
    for await (const file of allFiles(store.hosted, owner)) {
      const { id, size, received, sha256, createdAt } = file
      const { name = '' } = factsOf(file.metadata)
      const created = new Date(createdAt).toISOString()
      const isReadable = isPublic(file)
      // without a key, uses of a private file cannot be told from others
      const using = isReadable || keys.length > 0 ? ((await uses.assetsOf([file])).get(id) ?? []) : undefined
      const assets = using?.map(({ did }) => did) ?? null
      const row = { id, owner: file.owner, size, received, sha256, name, created, public: isReadable, assets }
      const state = sha256 === null ? `${received} of ${size}` : `${size}`
      const usedBy = assets === null ? 'assets unknown' : assets.join(' ') || 'no asset'
      const text = `${id}  ${file.owner}  ${created}  ${state} bytes  ${isReadable ? 'public' : 'private'}  ${usedBy}  ${jsonText(name)}`
      if (json) printJson(row)
      else print(text)
    }
  } finally {
    await store.close()
  }
  return 0
}

/** Returns the keys that uses of private files are recorded by: those of the lowest chain. Empty if the settings have none. */
async function lowestKeys(settings: Settings): Promise<ProviderKey[]> {
  const keyring = await openKeyring(settings, [])
  const lowest = Math.min(...settings.NETWORK_URL.byChain.keys(), Number.MAX_SAFE_INTEGER)
  const key = keyring.current(lowest)
  return key ? [key, ...keyring.previous(lowest)] : []
}

/** `tidegate files remove`: deletes a hosted file. Returns the exit code. Throws StartError, StateError. */
async function remove(id: string, options: { force?: true | undefined; config?: string | undefined }): Promise<number> {
  const settings = loadSettings(process.env, options.config)
  const chains = await connectChains(settings)
  const store = await openStore(settings)
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  let hosting: Hosting | undefined
  try {
    hosting = await openHosting(settings, { store, chains, log, isCurrent: () => false })
    if (!hosting) throw new StartError(['HOSTING: is off.'])
    const file = await store.hosted.find(id)
    if (!file) throw notFound()
    await hosting.remove(file, options.force ?? false)
    print(`deleted ${file.size} bytes of ${file.owner}`)
    return 0
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
    note(`tidegate: ${error.message.replace('Send force=true', 'Use --force')}`)
    return 1
  } finally {
    await hosting?.close()
    await store.close()
  }
}
