#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { StartError } from './errors.js'
import { stopSignal } from './signals.js'
import { packageVersion } from './version.js'

const USAGE = `Usage: tidegate <command> [options]

Commands:
  start   run the service with the settings of the environment (see docs/configuration.md)
          --config FILE         read settings from a file of NAME=value lines; the environment wins
  config  print the settings in force, without secrets
          --config FILE         as above
  doctor  look at settings, keys, nodes, database and gateways, a line each; exit code 1 where something is wrong
          --config FILE         as above
  health  exit with 0 where the service of this machine lives, else with 1: for health checks of containers
          --port N              its port (default: PORT of the environment, else 8030)
  reindex read the chain again, beside the index, and put that in its place when it is complete
          --config FILE         as above
          --chain ID            of this chain alone
  keys make    write a new private key to an encrypted file
  keys import  write the private key (hex) on standard input to an encrypted file
  keys check   open an encrypted file, or without --file every key of the settings, and tell the addresses
          --file FILE           the encrypted file (Web3 Secret Storage version 3)
          --password-file FILE  its password (default: KEYSTORE_PASSWORD or KEYSTORE_PASSWORD_FILE)
          --config FILE         as above
  import  bring nonces and deleted tokens of a legacy service over; may run again, and beside a running service
          --sqlite FILE         from its SQLite file
          --redis URL           from its Redis
          --config FILE         as above
  move-state  move nonces, revoked tokens and all else that must survive to the other database; stop the service first
          --to NAME             postgres (from STATE_DIR to DATABASE_URL) or embedded (the other way)
          --config FILE         as above
  dev     run a local chain with the datatoken contracts and the service on it, for development
          --port N              port of the service (default 8030; 0: any free one)
          --rpc-port N          port of the chain (default 8545; 0: any free one)
          --state DIR           keep chain and database there (default: a fresh temporary folder)
          --address-file PATH   also write the contract addresses there, in the address.json form
          --json                print one JSON line when ready, and nothing else, on standard output

Options:
  --help, --version`

/** Exit code for what the operator has to mend before the service can start. */
const MISUSE = 2

async function main(args: string[]): Promise<number> {
  const [command, ...rest] = args
  if (command === '--version') return print(packageVersion())
  if (command === '--help' || command === 'help') return print(USAGE)
  // heard before the parts of the service are there, which takes most of the time of a start
  if (command === 'start' || command === 'dev') void stopSignal()
  if (command === 'start') {
    const { start } = await import('./start.js')
    return start(options(rest, { config: { type: 'string' } }))
  }
  if (command === 'config') {
    const [{ loadSettings }, { shownSettings }] = await Promise.all([
      import('./config/load.js'),
      import('./config/show.js'),
    ])
    const { config } = options(rest, { config: { type: 'string' } })
    return print(shownSettings(loadSettings(process.env, config)).join('\n'))
  }
  if (command === 'doctor') {
    const { doctor } = await import('./doctor.js')
    return doctor(options(rest, { config: { type: 'string' } }))
  }
  if (command === 'health') {
    const { health } = await import('./health.js')
    const { port = process.env.PORT || '8030' } = options(rest, { port: { type: 'string' } })
    if (!/^\d{1,5}$/.test(port)) throw new UsageError('--port must be a port number.')
    return health(Number(port))
  }
  if (command === 'reindex') {
    const { reindex } = await import('./reindex.js')
    const given = options(rest, { config: { type: 'string' }, chain: { type: 'string' } })
    if (given.chain !== undefined && !/^[1-9]\d*$/.test(given.chain))
      throw new UsageError('--chain must be a chain id, a whole number.')
    return reindex(given)
  }
  if (command === 'keys') {
    const { makeKey, importKey, checkKeys } = await import('./keys.js')
    const [action, ...given] = rest
    const run = { make: makeKey, import: importKey, check: checkKeys }[action ?? '']
    if (!run) throw new UsageError('keys needs one of make, import and check.')
    return run(
      options(given, { config: { type: 'string' }, file: { type: 'string' }, 'password-file': { type: 'string' } }),
    )
  }
  if (command === 'import') {
    const { importLegacy } = await import('./legacy/import.js')
    const given = options(rest, {
      config: { type: 'string' },
      sqlite: { type: 'string' },
      redis: { type: 'string' },
    })
    if ((given.sqlite === undefined) === (given.redis === undefined))
      throw new UsageError('import needs --sqlite or --redis.')
    return importLegacy(given)
  }
  if (command === 'move-state') {
    const { moveStateTo } = await import('./move-state.js')
    const { to, config } = options(rest, { config: { type: 'string' }, to: { type: 'string' } })
    if (to !== 'postgres' && to !== 'embedded') throw new UsageError('move-state needs --to postgres or --to embedded.')
    return moveStateTo(to, { config })
  }
  if (command === 'dev') {
    const { dev } = await import('./dev/dev.js')
    return dev(
      options(rest, {
        port: { type: 'string' },
        'rpc-port': { type: 'string' },
        state: { type: 'string' },
        'address-file': { type: 'string' },
        json: { type: 'boolean' },
      }),
    )
  }
  throw new UsageError(command === undefined ? 'A command is missing.' : `There is no command ${command}.`)
}

class UsageError extends Error {}

type Options = NonNullable<Parameters<typeof parseArgs>[0]>['options']

function options<O extends Options>(args: string[], known: O) {
  try {
    return parseArgs({ args, options: known, allowPositionals: false, strict: true }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}

function fail(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`tidegate: ${error.message}\n\n${USAGE}\n`)
    return MISUSE
  }
  if (error instanceof StartError) {
    for (const problem of error.problems) process.stderr.write(`tidegate: ${problem}\n`)
    return MISUSE
  }
  process.stderr.write(`tidegate: ${(error as Error).message}\n`)
  return 1
}

const code = await main(process.argv.slice(2)).catch(fail)
// what a service leaves under way must not keep it from ending
if (process.argv[2] === 'start') process.exit(code)
process.exitCode = code
