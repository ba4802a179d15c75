import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

/** Mnemonic and chain id of the field's usual local network, so that existing test accounts and configs fit. */
export const DEV_MNEMONIC = 'taxi music thumb unique chat sand crew more leg another off lamp'
export const DEV_CHAIN_ID = 8996

export interface Anvil {
  rpcUrl: string
  /** Resolves when the node is gone, however that came. */
  ended: Promise<void>
  /** Ends the node; with a state file its state is written first. */
  stop(): Promise<void>
}

export interface AnvilOptions {
  /** 0 takes any free port. */
  port: number
  /** Default: that of the field's local network. */
  chainId?: number
  /** File that the chain is loaded from and saved to. */
  stateFile?: string
}

/** Starts a local EVM node and resolves when it answers. Throws an Error with the node's own words when it does not start. */
export async function startAnvil({ port, stateFile, chainId = DEV_CHAIN_ID }: AnvilOptions): Promise<Anvil> {
  const args = ['--port', String(port), '--chain-id', String(chainId), '--mnemonic', DEV_MNEMONIC]
  args.push('--gas-limit', '300000000')
  // written when the node ends, which the guard sees to also when this process is killed
  if (stateFile) args.push('--state', stateFile)
  const child = spawn(anvilBinary(), args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const guard = guardAgainstOrphan(child)
  const exited = once(child, 'exit').catch(() => undefined)
  try {
    const listening = await listeningAddress(child, port)
    child.stdout?.resume()
    return {
      rpcUrl: `http://${listening}`,
      ended: exited.then(() => undefined),
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

/** The address in the line that the node prints when it is up. */
async function listeningAddress(child: ChildProcess, port: number): Promise<string> {
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2000)
  })
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(new Error(`The local chain cannot be started: ${error.message}`)))
    child.once('exit', () =>
      reject(new Error(`The local chain ended at once (port ${port}): ${said.trim() || 'it said nothing'}`)),
    )
  })
  failed.catch(() => undefined)
  const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })
  const found = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      const match = /Listening on (\S+)/.exec(line)
      if (match) resolve(match[1] as string)
    })
  })
  return Promise.race([found, failed])
}

/**
 * A tiny process that ends the node when this process is gone, however it went (kill -9 included): its standard input
 * closes with us, and then it stops the node in the way that saves its state.
 */
function guardAgainstOrphan(child: ChildProcess): ChildProcess {
  const script = `process.stdin.resume().on('end',()=>{try{process.kill(${child.pid},'SIGTERM')}catch{}})`
  const guard = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  guard.unref()
  guard.stdin?.on('error', () => undefined)
  ;(guard.stdin as unknown as { unref?: () => void } | null)?.unref?.()
  return guard
}

/** ANVIL_BIN, else the binary that the npm package for this platform carries, else `anvil` on the PATH. */
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
