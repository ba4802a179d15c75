import { randomUUID } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { appendLine, readTrusted } from '@tidegate/common/safe-files'
import { CommandError } from '@tidegate/provider/commands/failures'
import type { Address } from 'viem'
import { CLI_LIMITS } from '../../limits.js'
import { makePrivateFolder } from '../files/folders.js'
import { jsonLines } from '../lines.js'

const { day: MOST } = CLI_LIMITS.agent

/** Units of a token that are due. */
export interface Due {
  chainId: number
  token: Address
  units: bigint
}

/** A line of a day's file: a reservation of some tokens by an account, or the release of one. */
type Line = { id: string; account: string; due: [key: string, units: string][] } | { released: string }

/**
 * What the agents of a user have spent or reserved today (UTC) with an account, in all processes. Each reservation is a line of the day's
 * file, and the order of the lines decides: a process adds its line first, and then counts those before it. A killed process stays counted.
 */
export class DaySpending {
  private readonly account: string

  constructor(
    private readonly folder: string,
    account: string,
    private readonly now: () => Date = () => new Date(),
  ) {
    this.account = account.toLowerCase()
  }

  /**
   * Reserves amounts. `assertWithin` gets each with what is used before it, and throws if that is too much. Returns the release. Throws
   * CommandError `SPENDING_UNKNOWN` if the file cannot be read or written.
   */
  reserve(due: readonly Due[], assertWithin: (due: Due, used: bigint) => void): () => void {
    const path = this.file()
    const id = randomUUID()
    const release = () => appendLine(path, JSON.stringify({ released: id }))
    const used = this.kept(path, () => {
      appendLine(
        path,
        JSON.stringify({ id, account: this.account, due: due.map((one) => [keyOf(one), `${one.units}`]) }),
      )
      return this.usedBefore(id, readTrusted(path, MOST))
    })
    try {
      for (const one of due) assertWithin(one, used.get(keyOf(one)) ?? 0n)
    } catch (error) {
      this.kept(path, release)
      throw error
    }
    return () => this.kept(path, release)
  }

  /**
   * Returns the units of each token that this account has reserved in lines before one. A line that is not JSON counts nothing: its
   * process was interrupted in the reservation, and bought nothing.
   */
  private usedBefore(id: string, text: string): Map<string, bigint> {
    const lines = [...jsonLines(text)] as Line[]
    const released = new Set(lines.map((line) => ('released' in line ? line.released : undefined)))
    const used = new Map<string, bigint>()
    for (const line of lines) {
      if ('released' in line) continue
      if (line.id === id) break
      if (line.account !== this.account || released.has(line.id)) continue
      for (const [key, units] of line.due) used.set(key, (used.get(key) ?? 0n) + BigInt(units))
    }
    return used
  }

  /** Returns the file of today. Removes those of other days. */
  private file(): string {
    const name = `${this.now().toISOString().slice(0, 10)}.jsonl`
    return this.kept(join(this.folder, name), (path) => {
      makePrivateFolder(this.folder)
      for (const other of readdirSync(this.folder))
        if (/^\d{4}-\d\d-\d\d\.jsonl$/.test(other) && other < name) rmSync(join(this.folder, other), { force: true })
      return path
    })
  }

  private kept<T>(path: string, work: (path: string) => T): T {
    try {
      return work(path)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      const why = code === 'UNSAFE_FILE' ? message : `${path}: ${code ?? 'damaged'}.`
      throw new CommandError('SPENDING_UNKNOWN', `Not bought: what was spent today cannot be counted. ${why}`)
    }
  }
}

const keyOf = ({ chainId, token }: Due) => `${chainId} ${token.toLowerCase()}`
