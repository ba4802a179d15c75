import { Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { note, print, printJson } from '@tidegate/common/terminal'
import { visibleLines } from '@tidegate/common/visible-text'
import { isDid } from '@tidegate/protocol'
import { PROVIDER_LIMITS } from '../limits.js'
import type { StateStore } from '../state/stores.js'
import { CONFIG } from './options.js'
import { withStore } from './with-store.js'

const { reason: LONGEST, listed: PAGE } = PROVIDER_LIMITS.takedowns

export const command = (finish: (code: number) => void) => {
  const takedown = new Command('takedown')
    // else this command would take the options of the others
    .enablePositionalOptions()
    .description(
      'Takes an asset down, by a court order or a notice: all instances withhold it within seconds. May run beside the service.',
    )
    .argument('<did>', 'DID of the asset', didOf)
    .option('--reason <text>', 'in general words; everybody who asks for the asset reads it', reasonOf, 'legal reasons')
    .option(...CONFIG)
    .action(async (did, { reason, config }) => finish(await withStore(config, (store) => takeDown(store, did, reason))))
  takedown
    .command('undo')
    .description('Ends the takedown of an asset: it is found and served again.')
    .argument('<did>', 'DID of the asset', didOf)
    .option(...CONFIG)
    .action(async (did, { config }) => finish(await withStore(config, (store) => undo(store, did))))
  takedown
    .command('list')
    .description('Lists the assets that are taken down. Reads the database alone.')
    .option('--json', 'a JSON object in each line')
    .option(...CONFIG)
    .action(async ({ json, config }) => finish(await withStore(config, (store) => list(store, json), true)))
  return takedown
}

/** Parses a DID. Throws InvalidArgumentError. */
function didOf(text: string): string {
  if (!isDid(text)) throw new InvalidArgumentError('It must be a DID: did:op: or did:ope: and 64 hexadecimal digits.')
  return text
}

/** Parses a reason without its full stop. Throws InvalidArgumentError. */
function reasonOf(text: string): string {
  const reason = text.trim().replace(/\.$/, '')
  const isVisible = visibleLines(reason) === reason && !/[\r\n]/.test(reason)
  if (reason.length > 0 && reason.length <= LONGEST && isVisible) return reason
  throw new InvalidArgumentError(`It must be one line of 1 to ${LONGEST} visible characters.`)
}

/** `tidegate takedown`. Returns the exit code. */
async function takeDown({ takedowns }: StateStore, did: string, reason: string): Promise<number> {
  const { isNew, isIndexed } = await takedowns.add({ did, reason, at: Date.now() })
  print(`${did} ${isNew ? 'is' : 'was already'} taken down: ${reason}`)
  if (!isIndexed) note('The index knows no such asset. It is withheld as soon as it appears: check the DID.')
  return 0
}

/** `tidegate takedown undo`. Returns the exit code: 1 if the asset is not taken down. */
async function undo({ takedowns }: StateStore, did: string): Promise<number> {
  if (await takedowns.undo(did, Date.now())) {
    print(`${did} is served again`)
    return 0
  }
  note(`tidegate: ${did} is not taken down.`)
  return 1
}

/** `tidegate takedown list`. Returns the exit code. */
async function list({ takedowns }: StateStore, json: true | undefined): Promise<number> {
  for (let after = ''; ; ) {
    const page = await takedowns.list(after, PAGE)
    for (const { did, reason, at } of page) {
      const since = new Date(at).toISOString()
      if (json) printJson({ did, since, reason })
      else print(`${did}  ${since}  ${reason}`)
    }
    const last = page.at(-1)
    if (!last || page.length < PAGE) return 0
    after = last.did
  }
}
