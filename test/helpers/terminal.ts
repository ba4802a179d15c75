import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type IPty, spawn } from '@lydell/node-pty'
import { newFolder } from './cleanup.js'
import { program } from './command.js'
import { eventually } from './eventually.js'

/** Folders for the files of commands in one test, without those of the user who runs it. */
export interface Home {
  folder: string
  environment: Record<string, string>
  remove(): void
}

/** Makes such folders. */
export function makeHome(): Home {
  const folder = newFolder()
  const environment = {
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_RUNTIME_DIR: '',
  }
  return { folder, environment, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

const terminals = new Set<IPty>()

/** A command of the program in a pseudo-terminal, as somebody at a keyboard uses it. */
export class Terminal {
  /** All that was written to it so far. */
  output = ''
  private code: number | undefined

  private constructor(private readonly pty: IPty) {
    terminals.add(pty)
    pty.onData((data) => {
      this.output += data
    })
    pty.onExit(({ exitCode }) => {
      this.code = exitCode
      terminals.delete(pty)
    })
  }

  static run(args: string[], environment: Record<string, string>, cwd?: string, run = program()): Terminal {
    const env = { PATH: process.env.PATH as string, TERM: 'xterm-256color', ...environment }
    return new Terminal(
      spawn(process.execPath, [...run, ...args], { env, cols: 120, rows: 40, ...(cwd ? { cwd } : {}) }),
    )
  }

  get pid(): number {
    return this.pty.pid
  }

  /** What can be read of the output: without the sequences of colours and of the cursor. */
  get text(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are taken out
    return this.output.replace(/\u001b\[[\d;?]*[A-Za-z]/g, '').replace(/\r/g, '')
  }

  /** Waits until this is to be read. Fails with the output where the command ends before. */
  async shows(what: RegExp): Promise<void> {
    await eventually(() => what.test(this.text) || this.code !== undefined)
    if (!what.test(this.text)) throw new Error(`${what} was not shown: ${this.text}`)
  }

  /** What somebody types: `\r` is the key Enter, `\u0003` ctrl-C. */
  type(keys: string): void {
    this.pty.write(keys)
  }

  /** Resolves with the exit code. */
  async ended(): Promise<number> {
    await eventually(() => this.code !== undefined)
    return this.code as number
  }

  kill(signal: NodeJS.Signals): void {
    this.pty.kill(signal)
  }

  static endAll(): void {
    for (const pty of terminals) pty.kill('SIGKILL')
  }
}
