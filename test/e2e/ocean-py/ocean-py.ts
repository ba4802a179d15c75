import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { owned } from '../../helpers/children.js'
import type { World } from '../../helpers/world.js'

/** The release of ocean.py that is tested. */
export const OCEAN_LIB = '3.1.2'

const PROGRAM = fileURLToPath(new URL('./main.py', import.meta.url))

/** A Python process in which ocean.py uses a world's service, and runs the scenarios of test/e2e/ocean-py/. */
export class OceanPy {
  private readonly lines: Interface
  private readonly answers: AsyncIterator<string>
  private output = ''

  private constructor(
    private readonly child: ChildProcess,
    private readonly home: string,
  ) {
    child.stderr?.on('data', (chunk: Buffer) => {
      this.output = (this.output + chunk.toString()).slice(-4000)
    })
    this.lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
    this.answers = this.lines[Symbol.asyncIterator]()
  }

  static start(python: string, world: World): OceanPy {
    // its own home, so that nothing of the user's is read or written
    const home = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    const own = { HOME: home, ADDRESS_FILE: world.local.addressFile, PYTHONDONTWRITEBYTECODE: '1' }
    const env = { PATH: process.env.PATH, PYTHONWARNINGS: 'ignore', PYTHONIOENCODING: 'utf-8', ...own }
    const child = owned(spawn(python, [PROGRAM], { env, cwd: home, stdio: 'pipe' }))
    child.stdin.on('error', () => undefined)
    const { rpcUrl, providerUrl, accounts } = world.network
    child.stdin.write(`${JSON.stringify({ rpcUrl, providerUrl, treasurer: accounts[1]?.privateKey })}\n`)
    return new OceanPy(child, home)
  }

  /** Runs a scenario and returns its result. Rejects with Python's traceback if it fails. Run one at a time. */
  async run<T>(scenario: string, args: Record<string, unknown> = {}): Promise<T> {
    this.child.stdin?.write(`${JSON.stringify({ scenario, arguments: args })}\n`)
    const { value } = await this.answers.next()
    if (value === undefined) throw new Error(`Python has ended: ${this.output}`)
    const { result, error } = JSON.parse(value)
    if (error) throw new Error(error)
    return result as T
  }

  /** Ends the process. */
  async close(): Promise<void> {
    this.lines.close()
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGKILL')
      await once(this.child, 'exit')
    }
    rmSync(this.home, { recursive: true })
  }
}
