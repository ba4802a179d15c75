import { Command } from '@commander-js/extra-typings'
import { readTextFile } from '@tidegate/common'
import { print } from '@tidegate/common/terminal'
import { StartError } from '@tidegate/protocol'
import { loadSettings, singleSetting } from '../config/load.js'
import { SETTINGS, type Settings } from '../config/schema.js'
import { backupState } from '../state/transfer/backup.js'
import { checkState } from '../state/transfer/check.js'
import { copyState } from '../state/transfer/copy.js'
import { configuredDatabase, type Database, type Embedded, nameOf, parseDatabase } from '../state/transfer/place.js'
import { acceptRestored, restoreState } from '../state/transfer/restore.js'
import { CONFIG } from './options.js'

export const command = (finish: (code: number) => void) => {
  const state = new Command('state').description(
    'Copies, backs up, restores and checks nonces, revoked tokens and all other persistent state.',
  )
  const place = 'sqlite:DIR or postgres://…; sqlite is STATE_DIR, and postgres DATABASE_URL, of the settings'
  state
    .command('copy')
    .description('Copies the state to another database, which then replaces the present one.')
    .option('--from <database>', `${place} (default: COPY_FROM or COPY_FROM_FILE)`)
    .option('--to <database>', 'the same (default: COPY_TO or COPY_TO_FILE)')
    .option('--online', 'copy while the service runs, and complete once it has been stopped')
    .option(...CONFIG)
    .action(async (options) => finish(await copy(options)))
  state
    .command('backup')
    .description('Writes the embedded database to a file. The service may run meanwhile. For PostgreSQL use pg_dump.')
    .argument('<file>', 'the backup, readable by this user alone')
    .option('--force', 'replace the file if it exists')
    .option(...CONFIG)
    .action(async (file, options) => finish(await backup(file, options)))
  state
    .command('restore')
    .description(
      'Brings a backup into the embedded database. Stop the service first. For PostgreSQL use pg_restore and `state restored`.',
    )
    .argument('<file>', 'the backup')
    .option('--force', 'replace the state that the database holds, or go back behind a later one')
    .option(...CONFIG)
    .action(async (file, options) => finish(await restore(file, options)))
  state
    .command('restored')
    .description(
      'Accepts a PostgreSQL database that pg_restore has filled: refuses all requests that were signed before. Stop the service first.',
    )
    .option('--force', 'go back behind a later state')
    .option(...CONFIG)
    .action(async (options) => finish(await restored(options)))
  state
    .command('check')
    .description(
      'Reads the configured database, or a backup, and prints one line for each finding. Exits with 1 if one is bad.',
    )
    .argument('[file]', 'a backup')
    .option(...CONFIG)
    .action(async (file, options) => finish(await check(file, options)))
  return state
}

interface CopyOptions {
  from?: string
  to?: string
  online?: true
  config?: string
}

/** `tidegate state copy`. Returns the exit code. Throws StartError. */
export async function copy({ from, to, online, config }: CopyOptions): Promise<number> {
  const [source, target] = [databaseOf('from', from, config), databaseOf('to', to, config)]
  await copyState(source, target, { online: online === true, report: print })
  print(`the state is in ${nameOf(target)} now: start the service there`)
  return 0
}

/** `tidegate state backup`. Returns the exit code. Throws StartError. */
export async function backup(file: string, options: { force?: true; config?: string }): Promise<number> {
  const from = embedded(
    loadSettings(process.env, options.config, 'database'),
    '`state backup` is for the embedded database: back up PostgreSQL with pg_dump.',
  )
  const size = await backupState(from, file, { force: options.force === true })
  print(`${nameOf(from)} was backed up to ${file}: ${size} bytes`)
  return 0
}

/** `tidegate state restore`. Returns the exit code. Throws StartError. */
export async function restore(file: string, options: { force?: true; config?: string }): Promise<number> {
  const settings = loadSettings(process.env, options.config, 'database')
  const to = embedded(
    settings,
    '`state restore` is for the embedded database: restore PostgreSQL with pg_restore, then run `tidegate state restored`.',
  )
  await restoreState(file, to, { folder: settings.STATE_DIR, force: options.force === true, report: print })
  print(`the state of ${file} is in ${nameOf(to)} now.`)
  printRisks()
  return 0
}

/** `tidegate state restored`. Returns the exit code. Throws StartError. */
export async function restored(options: { force?: true; config?: string }): Promise<number> {
  const settings = loadSettings(process.env, options.config, 'database')
  const place = configuredDatabase(settings)
  await acceptRestored(place, { folder: settings.STATE_DIR, force: options.force === true, report: print })
  print(`${nameOf(place)} can be used now.`)
  printRisks()
  return 0
}

/** Returns the embedded database of the settings. Throws StartError with `refusal` if the settings name PostgreSQL. */
function embedded({ DATABASE_URL: url, STATE_DIR: folder }: Settings, refusal: string): Embedded {
  if (url !== undefined) throw new StartError([refusal])
  return { kind: 'embedded', folder }
}

function printRisks(): void {
  print('A nonce that reads as a time before the cut-over is refused. What was accepted since the backup is not known:')
  print('- nonces that do not read as times (counters), or were ahead of the clock, could be used again;')
  print('- tokens that were deleted since then are valid until they expire: a new AUTH_TOKEN_SECRET ends all tokens.')
}

/** `tidegate state check`. Returns the exit code: 1 if something is wrong. Throws StartError. */
export async function check(file: string | undefined, { config }: { config?: string }): Promise<number> {
  const place =
    file === undefined
      ? configuredDatabase(loadSettings(process.env, config, 'database'))
      : ({ kind: 'file', path: file } as const)
  print(`checking ${nameOf(place)}`)
  let wrong = 0
  for await (const { ok, text } of checkState(place)) {
    if (!ok) wrong += 1
    print(`${ok ? 'ok  ' : 'FAIL'}  ${text}`)
  }
  return wrong > 0 ? 1 : 0
}

/** Returns the database of an option, or of the environment, which hides passwords from other users. */
function databaseOf(option: 'from' | 'to', given: string | undefined, config: string | undefined): Database {
  const name = `COPY_${option.toUpperCase()}`
  const text = given ?? (process.env[name] || fromFile(`${name}_FILE`))
  if (text === undefined) throw new StartError([`--${option} is required, or ${name}, or ${name}_FILE.`])
  try {
    if (text === 'sqlite') return parseDatabase(`sqlite:${setting('STATE_DIR', config) ?? SETTINGS.STATE_DIR.default}`)
    if (text === 'postgres') return parseDatabase(setting('DATABASE_URL', config) ?? '')
    return parseDatabase(text)
  } catch (error) {
    if (error instanceof StartError) throw error
    const which = text === 'postgres' ? 'DATABASE_URL' : `--${option}`
    throw new StartError([`${which}: ${(error as Error).message}.`])
  }
}

/** Reads one setting. All other settings may be missing. */
const setting = (name: 'STATE_DIR' | 'DATABASE_URL', config: string | undefined) =>
  singleSetting(name, process.env, config)

function fromFile(variable: string): string | undefined {
  const path = process.env[variable]
  if (!path) return undefined
  try {
    return readTextFile(path).trim() || undefined
  } catch (error) {
    throw new StartError([
      `${variable}: the file that it names cannot be read: ${(error as NodeJS.ErrnoException).code}.`,
    ])
  }
}
