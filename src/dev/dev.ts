import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../errors.js'
import { stopSignal } from '../signals.js'
import { type LocalNetwork, startLocalNetwork } from './network.js'

export interface DevOptions {
  port?: string
  'rpc-port'?: string
  state?: string
  'address-file'?: string
  json?: boolean
}

/** `tidegate dev`: a local chain with the contracts and the service on it, until told to stop. Answers the exit code. */
export async function dev(options: DevOptions): Promise<number> {
  // a stop that comes while things are still starting must find them
  const stop = stopSignal()
  const network = await startLocalNetwork({
    port: portOf('--port', options.port, 8030),
    rpcPort: portOf('--rpc-port', options['rpc-port'], 8545),
    stateDir: options.state,
    addressFile: options['address-file'],
    environment: process.env,
  })
  try {
    process.stdout.write(options.json ? `${JSON.stringify({ ready: true, ...network.facts })}\n` : readyBlock(network))
    const ended = await Promise.race([stop.then(() => 'stopped'), network.chainEnded.then(() => 'chain')])
    // Ctrl-C in a terminal reaches the chain as well, which may be gone first
    if (ended === 'chain' && !(await Promise.race([stop, sleep(500)])))
      throw new Error('The local chain ended by itself.')
    return 0
  } finally {
    await network.close()
  }
}

function portOf(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) throw new StartError([`${name} must be a port from 0 to 65535.`])
  return Number(text)
}

function readyBlock({ facts, addressFile }: LocalNetwork): string {
  const { providerUrl, rpcUrl, chainId, addresses, accounts, providerAddress } = facts
  const flat = Object.entries(addresses).flatMap(([name, value]): [string, unknown][] =>
    value && typeof value === 'object'
      ? Object.entries(value).map(([template, address]) => [`${name} ${template}`, address])
      : [[name, value]],
  )
  const lines = [
    'Tidegate local network is ready.',
    '',
    `  Provider and metadata  ${providerUrl}`,
    `  Chain (id ${chainId})        ${rpcUrl}`,
    `  Provider address       ${providerAddress}`,
    `  Contract addresses     ${addressFile}`,
    '',
    'Contracts',
    ...flat.map(([name, value]) => `  ${name.padEnd(26)} ${value}`),
    '',
    'Funded accounts (address, private key)',
    ...accounts.map(({ address, privateKey }) => `  ${address}  ${privateKey}`),
    '',
    'Stop with Ctrl-C.',
  ]
  return `${lines.join('\n')}\n`
}
