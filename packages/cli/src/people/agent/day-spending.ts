import { randomUUID } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Authorization } from '@tidegate/client'
import { appendLine, readTrusted } from '@tidegate/common/safe-files'
import { SECONDS } from '@tidegate/protocol/constants'
import { CommandError } from '@tidegate/provider/commands/failures'
import type { Address } from 'viem'
import { CLI_LIMITS } from '../../limits.js'
import { makePrivateFolder } from '../files/folders.js'
import { type Line, type NewPayment, type Reserved, reservedIn, sumOf } from './reservations.js'

const { day: MOST, unsigned: UNSIGNED } = CLI_LIMITS.agent

/** Units of a token that are due. */
export interface Due {
  chainId: number
  token: Address
  units: bigint
}

/** A reserved part of the limits of a day. */
export interface DayReservation {
  release(): void
  /** Records the signed payment. It must not be sent before. Throws CommandError `SPENDING_UNKNOWN`. */
  signed(authorization: Authorization): void
}

/**
 * What the agents of a user have spent, signed or reserved today (UTC) with an account, in all processes. Each reservation is a line of the
 * day's file, and the order of the lines decides: a process adds its line first, and then counts those before it. A killed process stays
 * counted. A payment that can be used after midnight counts on both days.
 */
export class DaySpending {
  private readonly account: string
  /** Reservations whose payment is used: they count, and another payment may follow. */
  private readonly used = new Set<string>()

  constructor(
    private readonly folder: string,
    account: string,
    private readonly now: () => Date = () => new Date(),
  ) {
    this.account = account.toLowerCase()
  }

  /**
   * Reserves amounts. `assertWithin` gets each with what is used before it, and throws if that is too much. Throws CommandError
   * `SPENDING_UNKNOWN` if the file cannot be read or written, `PURCHASE_RUNNING` if another payment for the same can be used.
   */
  reserve(due: readonly Due[], assertWithin: (due: Due, used: bigint) => void, payment?: NewPayment): DayReservation {
    const files = this.files()
    const [path] = files
    const id = randomUUID()
    const at = this.now().getTime()
    const add = (line: Line) => kept(path, () => appendLine(path, JSON.stringify(line)))
    const release = () => add({ released: id })
    const times = payment && { payment: { purchase: payment.purchase, at, until: at + UNSIGNED } }
    add({ id, account: this.account, due: due.map((one) => [keyOf(one), `${one.units}`]), ...times })
    const all = this.reserved(files)
    const own = all.findIndex((one) => one.id === id)
    if (own < 0) throw unknown(`${path}: damaged.`)
    const before = all.slice(0, own)
    try {
      if (payment) this.assertOnly(payment, before)
      const used = sumOf(before)
      for (const one of due) assertWithin(one, used.get(keyOf(one)) ?? 0n)
    } catch (error) {
      release()
      throw error
    }
    return { release, signed: (authorization) => add({ signed: id, authorization }) }
  }

  /** Returns the units of a token that are reserved today. Throws CommandError `SPENDING_UNKNOWN`. */
  usedOf(chainId: number, token: Address): bigint {
    return sumOf(this.reserved()).get(keyOf({ chainId, token })) ?? 0n
  }

  /**
   * Releases payments that no block can accept, and learns which ones of a purchase are used. `useOf` asks the chain; if it throws, a
   * payment stays counted. Throws CommandError `SPENDING_UNKNOWN`.
   */
  async update(
    purchase: string,
    useOf: (authorization: Authorization) => Promise<'used' | 'open' | 'void'>,
  ): Promise<void> {
    const isDue = ({ id, payment }: Reserved) =>
      !this.used.has(id) && payment && (payment.purchase === purchase || payment.until < this.now().getTime())
    for (const { id, path, authorization } of this.reserved().filter(isDue)) {
      const use = authorization && (await useOf(authorization).catch(() => 'open' as const))
      if (use === 'used') this.used.add(id)
      if (use === 'void') kept(path, () => appendLine(path, JSON.stringify({ released: id } satisfies Line)))
    }
  }

  /**
   * Throws CommandError `PURCHASE_RUNNING` if one of some reservations is of a payment for the same that can be used, or that was reserved
   * since the purchase began.
   */
  assertOnly({ purchase, since }: NewPayment, before: readonly Reserved[] = this.reserved()): void {
    for (const { id, payment } of before) {
      if (payment?.purchase !== purchase) continue
      const isOver = this.used.has(id) || payment.until < this.now().getTime()
      if (isOver && payment.at < since) continue
      const end = isOver ? '' : ` It may be usable until ${new Date(payment.until).toISOString()}.`
      throw new CommandError(
        'PURCHASE_RUNNING',
        `Not bought: an agent of the user pays for this asset by a signature.${end} Call \`buy\` with payWith again, later.`,
      )
    }
  }

  /** Returns the reservations that count today. */
  private reserved([today, yesterday] = this.files()): Reserved[] {
    const midnight = new Date(this.now()).setUTCHours(0, 0, 0, 0)
    const read = (path: string) => kept(path, () => reservedIn(textOf(path), path, this.account))
    return [...read(yesterday).filter(({ payment }) => payment && payment.until >= midnight), ...read(today)]
  }

  /** Returns the files of today and yesterday. Removes those of earlier days. */
  private files(): [today: string, yesterday: string] {
    const time = this.now().getTime()
    const [today, yesterday] = [time, time - 1000 * SECONDS.day].map(
      (one) => `${new Date(one).toISOString().slice(0, 10)}.jsonl`,
    ) as [string, string]
    const inFolder = (name: string) => join(this.folder, name)
    kept(inFolder(today), () => {
      makePrivateFolder(this.folder)
      for (const other of readdirSync(this.folder))
        if (/^\d{4}-\d\d-\d\d\.jsonl$/.test(other) && other < yesterday) rmSync(inFolder(other), { force: true })
    })
    return [inFolder(today), inFolder(yesterday)]
  }
}

/** Returns the text of a day's file; none if nothing was reserved on that day. */
function textOf(path: string): string {
  try {
    return readTrusted(path, MOST)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

function kept<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'UNSAFE_FILE' ? message : `${path}: ${code ?? 'damaged'}.`
    throw unknown(why)
  }
}

const unknown = (why: string) =>
  new CommandError('SPENDING_UNKNOWN', `Not bought: what was spent today cannot be counted. ${why}`)

const keyOf = ({ chainId, token }: Pick<Due, 'chainId' | 'token'>) => `${chainId} ${token.toLowerCase()}`
