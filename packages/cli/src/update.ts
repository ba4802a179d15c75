import { Option } from '@commander-js/extra-typings'
import type { Asking, Changes, Difference, TermsDocument } from '@tidegate/client'
import { requestedEdits } from '@tidegate/protocol/version-plan'
import { CommandError, misuse } from '@tidegate/provider/commands/failures'
import { agreed } from './people/agreement.js'
import { type Edit, type EditOptions, editsOf, replacing, withReplacing } from './people/files/file-edits.js'
import { withKnown } from './people/files/known-files.js'
import { type SourceOptions, sourcesOf } from './people/files/sources.js'
import { Uploads } from './people/files/uploads.js'
import { versionLines } from './people/files/version-lines.js'
import { indexed, type Shown } from './people/indexed.js'
import { openChange, openLines, prepared, sent, termsText } from './people/open-change.js'
import { accessLists, addresses, collected, did, duration, forSigning, SERVICE, YES } from './people/options.js'
import { shown } from './people/output/text.js'
import { inSession, type PeopleOptions, type WalletSession } from './people/session.js'
import { showsState } from './people/states.js'
import { price } from './publish.js'

export const command = (finish: (code: number) => void) =>
  forSigning('update', 'tidegate update did:op:0c46… --files ./tides-2026.csv --keep-old --tag tides')
    .description('Changes an asset of the account. Options that are left out change nothing.')
    .argument('<did>', 'the asset', did)
    .option('--files <source...>', 'its new files, as in publish; buyers with a valid order get them at once')
    .option('--descriptor <file>', 'a JSON file with a new storage object, or a list; may be repeated', collected)
    .option('--hidden', 'take hidden files of folders too')
    .option('--anonymous-files', 'publish no names of files')
    .option('--keep-old', 'keep the present files, after the new ones')
    .option('--replace <name=file>', 'a file in the place of a present one; may be repeated', collected)
    .option('--remove <name>', 'a present file that goes; may be repeated', collected)
    .option('--rename <name=new>', 'another name of a present file; may be repeated', collected)
    .option('--notes <text>', 'what is new in its files, for buyers')
    .option('--name <name>', 'its name')
    .option('--description <text>', 'its description')
    .option('--author <name>', 'its author')
    .option('--license <name>', 'its licence: an SPDX identifier or a URL')
    .option('--tag <tag>', 'a new tag; may be repeated. Replaces all tags', collected)
    .addOption(
      new Option('--price <amount[:token]>', 'price of an order, in its present token or another').argParser(price),
    )
    .addOption(new Option('--free', 'an order costs nothing but gas').conflicts('price'))
    .option('--timeout <time>', 'how long an order is valid: 12h, 30d, 1y, or forever', duration)
    .option('--allow <address>', 'an account that may buy; may be repeated. Replaces the accounts', addresses)
    .option('--service-name <name>', 'name of the service')
    .option(
      '--allow-list <address|none>',
      'an access list whose members may buy; may be repeated. Replaces the lists',
      accessLists,
    )
    .option('--allow-everybody', 'let everybody buy')
    .option('--terms <file|url|none>', 'terms that buyers must accept, as in publish')
    .option('--sample <file>', 'a file that everybody may read; may be repeated. Replaces all samples', collected)
    .option('--no-samples', 'remove all samples')
    .addOption(new Option('--unlisted', 'hide it from searches; it can be bought by its DID').conflicts('listed'))
    .option('--listed', 'show it in searches')
    .option(...SERVICE)
    .option(...YES)
    .action(async (did, options) => finish(await update(did, options)))

interface UpdateOptions extends PeopleOptions, SourceOptions, EditOptions {
  files?: string[]
  descriptor?: string[]
  keepOld?: true
  notes?: string
  name?: string
  description?: string
  author?: string
  license?: string
  tag?: string[]
  price?: Exclude<Asking, 'free'>
  free?: true
  timeout?: number
  allow?: `0x${string}`[]
  allowList?: (`0x${string}` | 'none')[]
  allowEverybody?: true
  terms?: string
  sample?: string[]
  /** False for --no-samples. */
  samples?: boolean
  unlisted?: true
  listed?: true
  service?: string
  serviceName?: string
  yes?: true
}

/** `tidegate update`. Returns the exit code. Throws CommandError, TidegateError. */
export async function update(did: string, options: UpdateOptions): Promise<number> {
  const sources = sourcesOf(options.files ?? [], options.descriptor ?? [], options)
  const { keepOld, service, yes } = options
  const changes = changesOf(options)
  const isEdit = [options.replace, options.remove, options.rename].some((named) => named !== undefined)
  if (keepOld && sources.length === 0 && !isEdit)
    throw misuse('--keep-old needs new files: use --files or --descriptor.')
  if (isEdit && sources.length > 0 && !keepOld)
    throw misuse(
      '--replace, --remove and --rename change present files, and new files replace them all: add --keep-old.',
    )
  const open = openChange(options)
  if (Object.keys(changes).length === 0 && sources.length === 0 && !open && !isEdit)
    throw misuse('there is nothing to change: use --files, --replace, --name, --price, --tag, …')
  return inSession(options, 'wallet', async (session) => {
    const { client, out, signal } = session
    const { known, uploads: left } = await prepared(session, did, open)
    const all = { ...changes, ...known, ...(service ? { service } : {}) }
    const differences = await client.differences(did, all)
    if (differences.length === 0 && sources.length === 0 && !left && !isEdit) {
      out.print(`${did} is like this already: nothing was sent.`)
      return out.result({ did, changed: [], transactions: [] })
    }
    const { name, services } = await client.asset(did, { signal })
    const own = service ? services.find(({ id }) => id === service) : services.find(({ type }) => type === 'access')
    const { files: present = [], filesVersion } = own ?? services[0] ?? {}
    if (isEdit && present.length === 0)
      throw new CommandError(
        'FILES_UNREADABLE',
        'The provider does not tell the present files now. Repeat the command later.',
      )
    const edits = isEdit ? editsOf(options, present, sources, options) : new Map<number, Edit>()
    const found = await withKnown(session, did, [...sources, ...replacing(edits)])
    const marked = withReplacing(edits, found.slice(sources.length))
    const plan = versionLines(found.slice(0, sources.length), present, { keepOld: keepOld || isEdit, edits: marked })
    out.note(...differences.flatMap(differenceLines), ...plan, ...openLines(left))
    await agreed({ yes, message: `Apply these changes to "${shown(name)}"?`, otherwise: 'nothing was changed' })
    signal.throwIfAborted()
    const uploads = new Uploads(session)
    const uploaded = left ? await sent(session, left) : {}
    const objects = await uploads.objectsOf(found)
    const files = objects.splice(0, sources.length)
    const edited = { files, keepOld: requestedEdits(edits, present, objects), filesVersion }
    const replaced = isEdit ? edited : files.length > 0 ? { files, ...(keepOld ? { keepOld } : {}) } : {}
    const { changed, transactions } = await client.update(did, { ...all, ...uploaded, ...replaced, onStep: out.step })
    uploads.forget()
    for (const transaction of transactions) out.note(`mined: ${transaction}`)
    await shows(session, did, { changed, transactions, state: changes.state })
    out.print(`${did} is changed.`)
    out.result({ did, changed, transactions })
  })
}

function changesOf(options: UpdateOptions): Changes {
  const { name, description, author, license, tag: tags, timeout, serviceName, notes } = options
  const { allow, allowList, allowEverybody, free, listed, unlisted } = options
  if ((allow || allowList) && allowEverybody)
    throw misuse(`${allow ? '--allow' : '--allow-list'} and --allow-everybody contradict each other.`)
  const all = {
    ...{ name, description, author, license, tags, timeout, serviceName, notes },
    access: allowEverybody ? null : allow,
    accessLists: allowList?.includes('none') ? null : allowList,
    price: free ? 'free' : options.price,
    state: unlisted ? 'unlisted' : listed ? 'active' : undefined,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** Returns the old and the new value of a field. */
function differenceLines({ field, before, after }: Difference): string[] {
  const line = (label: string, value: unknown) => `  ${label.padEnd(12)} ${shown(worded(field, value))}`
  return [line(field, before), line('  becomes', after)]
}

function worded(field: Difference['field'], value: unknown): string {
  if (value === null && field === 'access') return 'everybody'
  if (field === 'timeout') return value === 0 ? 'forever' : `${value} seconds`
  if (Array.isArray(value)) return value.join(', ') || 'none'
  if (field === 'terms' && value) return termsText(value as TermsDocument)
  return value === undefined || value === null || value === '' ? 'none' : String(value)
}

/** Waits until the provider's index shows a change, so that the next one starts from it. */
async function shows(
  session: WalletSession,
  did: string,
  { changed, transactions, state }: { changed: string[]; transactions: string[]; state: Changes['state'] },
): Promise<void> {
  const last = transactions.at(-1)
  if (changed.some((field) => field !== 'price' && field !== 'state')) {
    const isShown = ({ event }: Shown) => event?.tx === last
    await indexed(session, did, { done: 'it is changed', isShown })
  } else if (state && changed.includes('state')) await showsState(session, did, state)
}
