import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { rpcClient } from '@tidegate/chain'
import { DEV_CHAIN_ID } from '@tidegate/protocol/networks'
import type { Address, Hex } from 'viem'
import { DEV_LIMITS } from './limits.js'

export { DEV_CHAIN_ID }

/** Mnemonic of Ocean's usual local network. */
export const DEV_MNEMONIC = 'taxi music thumb unique chat sand crew more leg another off lamp'

export interface DevAccount {
  address: Address
  privateKey: Hex
}

/** The funded accounts of the mnemonic, in order. The keys are public; deriving them takes a tenth of a second. */
const ACCOUNTS: readonly DevAccount[] = [
  {
    address: '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260',
    privateKey: '0xc594c6e5def4bab63ac29eed19a134c130388f74f019bc74b8f4389df2837a58',
  },
  {
    address: '0xBE5449a6A97aD46c8558A3356267Ee5D2731ab5e',
    privateKey: '0xef4b441145c1d0f3b4bc6d61d29f5c6e502359481152f869247c7a4244d45209',
  },
  {
    address: '0xA78deb2Fa79463945C247991075E2a0e98Ba7A09',
    privateKey: '0x5d75837394b078ce97bc289fa8d75e21000573520bfa7784a9d28ccaae602bf8',
  },
  {
    address: '0x02354A1F160A3fd7ac8b02ee91F04104440B28E7',
    privateKey: '0x8467415bb2ba7c91084d932276214b11a3dd9bdb2930fefa194b666dd8020b99',
  },
  {
    address: '0xe17D2A07EFD5b112F4d675ea2d122ddb145d117B',
    privateKey: '0x1f990f8b013fc5c7955e0f8746f11ded231721b9cf3f99ff06cdc03492b28090',
  },
  {
    address: '0xA32C84D2B44C041F3a56afC07a33f8AC5BF1A071',
    privateKey: '0x732fbb7c355aa8898f4cff92fa7a6a947339eaf026a08a51f171199e35a18ae0',
  },
  {
    address: '0xFF3fE9eb218EAe9ae1eF9cC6C4db238B770B65CC',
    privateKey: '0x8683d6511213ac949e093ca8e9179514d4c56ce5ea9b83068f723593f913b1ab',
  },
  {
    address: '0x529043886F21D9bc1AE0feDb751e34265a246e47',
    privateKey: '0x1d751ded5a32226054cd2e71261039b65afb9ee1c746d055dd699b1150a5befc',
  },
  {
    address: '0xe08A1dAe983BC701D05E492DB80e0144f8f4b909',
    privateKey: '0xfd5c1ccea015b6d663618850824154a3b3fb2882c46cefb05b9a93fea8c3d215',
  },
  {
    address: '0xbcE5A3468386C64507D30136685A99cFD5603135',
    privateKey: '0x1263dc73bef43a9da06149c7e598f52025bf4027f1d6c13896b71e81bb9233fb',
  },
]

/** The funded accounts, in the order of the mnemonic. */
export function devAccounts(): readonly DevAccount[] {
  return ACCOUNTS
}

export interface Anvil {
  rpcUrl: string
  /** Resolves when the node has exited. */
  ended: Promise<void>
  /** Mines a block every so many seconds, instead of one per transaction. */
  mineEvery(seconds: number): Promise<void>
  /** Ends the node. A node with a state file saves its state first. */
  stop(): Promise<void>
}

export interface AnvilOptions {
  /** 0: any free port. */
  port: number
  /** Listens at a secret loopback address and any free port, so that no page finds the node. */
  isHidden?: boolean | undefined
  /** Default: DEV_CHAIN_ID. */
  chainId?: number | undefined
  /** The chain is loaded from this file and saved to it. */
  stateFile?: string | undefined
  /** Time of the first block of a new chain, in seconds since 1970. Its clock continues from there. Default: now. */
  begins?: number | undefined
  /** The chain is loaded from this file but not saved. Not with a state file. */
  loadFile?: string | undefined
}

/** Starts a local EVM node. Resolves when it listens. Rejects with the node's output if it does not start. */
export async function startAnvil({
  port,
  stateFile,
  loadFile,
  begins,
  isHidden = false,
  chainId = DEV_CHAIN_ID,
}: AnvilOptions): Promise<Anvil> {
  const args = ['--port', isHidden ? '0' : String(port), '--chain-id', String(chainId), '--mnemonic', DEV_MNEMONIC]
  args.push('--gas-limit', '300000000')
  if (isHidden) args.push('--host', hiddenHost())
  if (begins !== undefined) args.push('--timestamp', String(begins))
  // the node saves its state at exit, which the guard ensures even after kill -9
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

/** Returns a random loopback address. macOS has only one. */
function hiddenHost(): string {
  if (process.platform === 'darwin') return '127.0.0.1'
  return ['127', ...randomBytes(3).map((byte) => Math.min(254, byte + 1))].join('.')
}

/** Waits for the output line with the node's address. */
async function listeningAddress(child: ChildProcess, port: number): Promise<string> {
  let output = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-DEV_LIMITS.node.output)
  })
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(new Error(`The local chain cannot be started: ${reasonOf(error)}`)))
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
 * Starts a shell that ends the node when this process exits, even by kill -9: its standard input closes, and it sends
 * SIGTERM, so that the node saves its state. A shell starts much faster than Node.
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

/** Returns why the node did not start, with a remedy. */
function reasonOf(error: NodeJS.ErrnoException): string {
  if (process.env.ANVIL_BIN) return `ANVIL_BIN is ${process.env.ANVIL_BIN}: ${error.code}`
  // the package is not installed (--omit=optional), or supports neither this platform nor its C library
  const platform = `${process.platform} ${process.arch}`
  return `no program of the package @foundry-rs/anvil runs here (${platform}, ${error.code}). Install Foundry (https://getfoundry.sh), so that \`anvil\` is on the PATH, or set ANVIL_BIN to it.`
}

/** Returns ANVIL_BIN, else the binary in the npm package for this platform, else `anvil` on the PATH. */
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
