import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Address, bytesToHex, type Hex } from 'viem'
import { mnemonicToAccount, privateKeyToAddress } from 'viem/accounts'
import { rpcClient } from '../chain/clients.js'
import { memoized } from '../memo.js'

/** Mnemonic and chain id of the usual local network of Ocean tools, so that existing test accounts and configs work. */
export const DEV_MNEMONIC = 'taxi music thumb unique chat sand crew more leg another off lamp'
export const DEV_CHAIN_ID = 8996
/** The number of funded accounts of the mnemonic: those to which the node assigns ether. */
const FUNDED = 10

export interface DevAccount {
  address: Address
  privateKey: Hex
}

const DERIVATION = { mnemonic: DEV_MNEMONIC, path: "m/44'/60'/0'/0" } as const

// deriving keys from the mnemonic takes a tenth of a second
const derived = memoized(({ mnemonic, path }: typeof DERIVATION): DevAccount[] => {
  const parent = mnemonicToAccount(mnemonic, { path }).getHdKey()
  return Array.from({ length: FUNDED }, (_, index) => {
    const privateKey = bytesToHex(parent.deriveChild(index).privateKey as Uint8Array)
    return { address: privateKeyToAddress(privateKey), privateKey }
  })
})

/** The funded accounts, in the order of the mnemonic. */
export function devAccounts(): readonly DevAccount[] {
  return derived(DERIVATION)
}

export interface Anvil {
  rpcUrl: string
  /** Resolves when the node has exited, for whatever reason. */
  ended: Promise<void>
  /** Mines blocks at an interval from now on, instead of one for each transaction. */
  mineEvery(seconds: number): Promise<void>
  /** Ends the node; with a state file its state is written first. */
  stop(): Promise<void>
}

export interface AnvilOptions {
  /** 0 takes any free port. */
  port: number
  /** Default: DEV_CHAIN_ID. */
  chainId?: number
  /** File that the chain is loaded from and saved to. */
  stateFile?: string
  /** Time of the first block of a new chain, in seconds since 1970; its clock continues from there. Default: now. */
  begins?: number
  /** A file from which the chain is loaded but to which it is not saved, instead of a state file. */
  loadFile?: string
}

/** Starts a local EVM node and resolves when it listens. Rejects with the node's own output where it does not start. */
export async function startAnvil({
  port,
  stateFile,
  loadFile,
  begins,
  chainId = DEV_CHAIN_ID,
}: AnvilOptions): Promise<Anvil> {
  const args = ['--port', String(port), '--chain-id', String(chainId), '--mnemonic', DEV_MNEMONIC]
  args.push('--gas-limit', '300000000')
  if (begins !== undefined) args.push('--timestamp', String(begins))
  // saved when the node exits; the guard ensures that even when this process is killed
  if (stateFile) args.push('--state', stateFile)
  else if (loadFile) args.push('--load-state', loadFile)
  const child = spawn(anvilBinary(), args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const guard = guardAgainstOrphan(child)
  const exited = once(child, 'exit').catch(() => undefined)
  try {
    const listening = await listeningAddress(child, port)
    child.stdout?.resume()
    return {
      rpcUrl: `http://${listening}`,
      ended: exited.then(() => undefined),
      async mineEvery(seconds) {
        const request = { method: 'evm_setIntervalMining', params: [seconds] }
        await rpcClient(new URL(`http://${listening}`)).request(request as never)
      },
      async stop() {
        child.kill('SIGTERM')
        await exited
        guard.stdin?.end()
      },
    }
  } catch (error) {
    child.kill('SIGKILL')
    guard.stdin?.end()
    throw error
  }
}

/** Waits for the line in which the node prints its address. */
async function listeningAddress(child: ChildProcess, port: number): Promise<string> {
  let output = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-2000)
  })
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(new Error(`The local chain cannot be started: ${error.message}`)))
    child.once('exit', () =>
      reject(new Error(`The local chain ended at once (port ${port}): ${output.trim() || 'no output'}`)),
    )
  })
  failed.catch(() => undefined)
  const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })
  const started = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      const match = /Listening on (\S+)/.exec(line)
      if (match) resolve(match[1] as string)
    })
  })
  return Promise.race([started, failed])
}

/**
 * A tiny process that stops the node when this process exits, even by kill -9: its standard input closes with us, and
 * then it sends the node SIGTERM, on which that saves its state. A shell, which starts in a fraction of the time of node.
 */
function guardAgainstOrphan(child: ChildProcess): ChildProcess {
  const [program, option, script] =
    process.platform === 'win32'
      ? [process.execPath, '-e', `process.stdin.resume().on('end',()=>{try{process.kill(${child.pid})}catch{}})`]
      : ['/bin/sh', '-c', `read -r _; kill -TERM ${child.pid} 2>/dev/null`]
  const guard = spawn(program, [option, script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  guard.unref()
  guard.on('error', () => undefined)
  guard.stdin?.on('error', () => undefined)
  ;(guard.stdin as unknown as { unref?: () => void } | null)?.unref?.()
  return guard
}

/** ANVIL_BIN, else the binary of the npm package for this platform, else `anvil` on the PATH. */
function anvilBinary(): string {
  if (process.env.ANVIL_BIN) return process.env.ANVIL_BIN
  const platform = { linux: 'linux', darwin: 'darwin', win32: 'win32' }[process.platform as string]
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  try {
    const manifest = createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${platform}-${arch}/package.json`)
    return join(dirname(manifest), 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil')
  } catch {
    return 'anvil'
  }
}
