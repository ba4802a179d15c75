import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from '@commander-js/extra-typings'
import { print, printJson } from '@tidegate/common/terminal'
import { type LocalNetwork, type LocalNetworkOptions, startLocalNetwork } from '@tidegate/dev-network'
import { isConsoleBuilt } from '@tidegate/provider'
import { port, seconds } from '@tidegate/provider/commands/options'
import { stopSignal } from '@tidegate/provider/signals'
import { RPC_PORT } from './constants.js'
import { leaveNote } from './people/local-networks.js'

/** `run`: what the command does with its options. */
export const command = (finish: (code: number) => void, run: (options: DevOptions) => Promise<number> = dev) =>
  new Command('dev')
    .description('Runs a local chain with the datatoken contracts, and the service on it, for development.')
    .option('--port <n>', 'port of the service; 0: any free one (default: PORT of the environment, or 8030)', port)
    .option('--rpc-port <n>', 'port of the chain; 0: any free one', port, RPC_PORT)
    .option('--block-time <seconds>', 'seconds between two blocks (default: a block for each transaction)', seconds)
    .option('--state <dir>', 'folder of chain and database (default: a new temporary folder)')
    .option('--seed', 'publish sample assets with a history of orders, unless the state has them')
    .option('--address-file <path>', 'also write the contract addresses to this file, in the form of address.json')
    .option('--allow-host <name...>', 'also accept requests and pages of these host names (default: only loopback)')
    .option('--json', 'print only one JSON line on standard output, when ready')
    .action(async (options) => finish(await run(options)))

export interface DevOptions {
  port?: number
  rpcPort: number
  blockTime?: number
  state?: string
  addressFile?: string
  seed?: boolean
  allowHost?: string[]
  json?: boolean
}

const STARTING = 'Starting a local chain with the contracts, and the service on it. This takes some seconds.\n'

/** Settings for one machine and its users. More connections would need a higher limit of open files. */
const DEFAULTS = { LOG_FORMAT: 'pretty', MAX_CONNECTIONS: '500', MCP: 'on' }

/** The catalogue is public at the usual address. Another one needs PUBLIC_URL. */
const catalogue = ({ HOST }: NodeJS.ProcessEnv) => (HOST === undefined ? { CATALOGUE: 'public' } : {})

/** Returns the network that `tidegate dev` starts with these options in this environment. */
export const networkOf = (options: DevOptions, environment: NodeJS.ProcessEnv): LocalNetworkOptions => ({
  port: options.port,
  rpcPort: options.rpcPort,
  blockTime: options.blockTime,
  stateDir: options.state,
  addressFile: options.addressFile,
  seed: options.seed,
  onlyHosts: options.allowHost ?? [],
  // a checkout for the demo alone has no built page
  environment: { ...DEFAULTS, ...catalogue(environment), CONSOLE: String(isConsoleBuilt()), ...environment },
})

/** `tidegate dev`: runs a local chain with the contracts, and the service, until a stop signal. Returns the exit code. */
export async function dev(options: DevOptions): Promise<number> {
  // listen first: a stop signal during startup must still clean up
  const stop = stopSignal()
  if (!options.json) print(STARTING)
  const network = await startLocalNetwork(networkOf(options, process.env))
  const removeNote = leaveNote(network.facts)
  try {
    if (options.json) printJson({ ready: true, ...network.facts })
    else print(...readyLines(network))
    const ended = await Promise.race([stop.then(() => 'stopped'), network.chainEnded.then(() => 'chain')])
    // Ctrl-C in a terminal also reaches the chain, which may exit first
    if (ended === 'chain' && !(await Promise.race([stop, sleep(500)])))
      throw new Error('The local chain has stopped unexpectedly.')
    return 0
  } finally {
    removeNote()
    await network.close()
  }
}

function readyLines({ facts, addressFile, app, seeded }: LocalNetwork): string[] {
  const { providerUrl, rpcUrl, chainId, addresses, accounts, providerAddress } = facts
  const contracts = Object.entries(addresses).flatMap(([name, value]): [string, unknown][] =>
    value && typeof value === 'object'
      ? Object.entries(value).map(([template, address]) => [`${name} ${template}`, address])
      : [[name, value]],
  )
  return [
    'The local network is ready. Nothing on it has any value.',
    '',
    `  Provider and metadata  ${providerUrl}`,
    `  Chain (id ${chainId})        ${rpcUrl}`,
    `  Provider address       ${providerAddress}`,
    `  Contract addresses     ${addressFile}`,
    '',
    'Contracts',
    ...contracts.map(([name, value]) => `  ${name.padEnd(26)} ${value}`),
    '',
    'Accounts that hold ether, OCEAN, DAI and USDC (number, address, private key)',
    ...accounts.map(({ address, privateKey }, at) => `  ${at}  ${address}  ${privateKey}`),
    '',
    'Next steps',
    ...nextSteps(providerUrl, app.context.console !== undefined, seeded !== undefined),
    '',
    'Stop with Ctrl-C.',
  ]
}

/** The program's command line: from the sources of a checkout, or installed. */
const PROGRAM = process.argv[1]?.endsWith('.ts') ? 'npx tsx packages/cli/src/main.ts' : 'tidegate'

function nextSteps(providerUrl: string, hasConsole: boolean, isSeeded: boolean): string[] {
  return [
    ...(hasConsole
      ? [
          `  Open ${providerUrl}/console/ in a browser. It signs with account 0; choose another one at the upper right.`,
          '  To buy your own asset, switch to another account first.',
        ]
      : ['  The console is not built here: `npm run dev` in the repository builds and serves it.']),
    '  In a second terminal, the commands find this network. --account N is the account that signs:',
    `    ${PROGRAM} publish ./tides.csv --name "Tide tables" --free --account 0`,
    `    ${PROGRAM} search tide`,
    `    ${PROGRAM} get DID --account 1`,
    isSeeded
      ? `  The sample assets are there: \`${PROGRAM} search\` lists them.`
      : '  For sample assets with a history of orders, stop and start again with --seed.',
  ]
}
