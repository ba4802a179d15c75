import { Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { jsonText, note, print, printJson } from '@tidegate/common/terminal'
import { allFiles, factsOf, type Hosting, notFound } from '@tidegate/hosting'
import { HostingError, StartError } from '@tidegate/protocol'
import { HOSTED_ID } from '@tidegate/storage'
import { connectChains } from '../app/connect.js'
import { openHosting } from '../app/hosting.js'
import { loadSettings } from '../config/load.js'
import { openStore } from '../state/open.js'
import { CONFIG } from './options.js'

export const command = (finish: (code: number) => void) => {
  const files = new Command('files').description('Lists and deletes the files that this service hosts.')
  files
    .command('list')
    .description('Lists hosted files with their ids, which are secrets. Reads the database alone.')
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
  const store = await openStore(loadSettings(process.env, config, 'database'), { readOnly: true })
  try {
    for await (const file of allFiles(store.hosted, owner)) {
      const { id, size, received, sha256, createdAt } = file
      const { name = '' } = factsOf(file.metadata)
      const created = new Date(createdAt).toISOString()
      const row = { id, owner: file.owner, size, received, sha256, name, created }
      const state = sha256 === null ? `${received} of ${size}` : `${size}`
      const text = `${id}  ${file.owner}  ${created}  ${state} bytes  ${jsonText(name)}`
      if (json) printJson(row)
      else print(text)
    }
  } finally {
    await store.close()
  }
  return 0
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
