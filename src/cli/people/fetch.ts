import { once } from 'node:events'
import { renameSync } from 'node:fs'
import { join, sep } from 'node:path'
import { Readable } from 'node:stream'
import type { Bought, Progress as Transferred } from '@tidegate/client'
import type { SavedFile } from '@tidegate/client/node'
import type { Hex } from 'viem'
import { CommandError, EXIT, failureOf } from '../failures.js'
import { showProgress } from './progress.js'
import { interrupted } from './prompts.js'
import type { WalletSession } from './session.js'
import type { Target } from './target.js'
import { shown } from './text.js'

interface Wanted {
  did: string
  service: string
  order: Hex
  file: number
  /** What the SHA-256 must be, where the user says so. */
  sha256: string | undefined
  /** Whether an existing file is overwritten. */
  force: boolean
  /** The command that resumes after an interruption. */
  again: string
}

export interface Fetched {
  file: number
  path: string
  bytes: number
  sha256: string
}

/** Downloads one file, from where an earlier run stopped. Throws CommandError, TidegateError, errors of the file system. */
export async function fetchFile(
  { client, signal }: WalletSession,
  { did, service, order, file, sha256, force, again, target }: Wanted & { target: Target },
): Promise<Fetched> {
  const { downloadToFile } = await import('@tidegate/client/node')
  const progress = await showProgress(shown(target.name ?? `file ${file}`, 60))
  try {
    const onProgress = ({ received, total }: Transferred) => progress.update(received, total)
    const options = { service, order, file, signal, overwrite: force, onProgress }
    const done = await downloadToFile(client.context, did, join(target.folder, target.name ?? sep), options)
    if (sha256 !== undefined && done.sha256 !== sha256) throw differing(done, sha256)
    return { file, path: done.path, bytes: done.bytes, sha256: done.sha256 }
  } catch (error) {
    if (signal.aborted) throw interrupted(`interrupted; the partial download is kept. Resume with: ${again}`)
    throw withWayOn(error as Error & { code?: string }, again)
  } finally {
    progress.stop()
  }
}

/** What can be done about an error that is not the provider's. */
function withWayOn(error: Error & { code?: string }, again: string): Error {
  if (error.code === 'FILE_EXISTS')
    return new CommandError(error.code, `${error.message} Overwrite it with --force, or choose another name with -o.`)
  if (error.code === 'DISK_FULL') return new CommandError(error.code, `${error.message} Then: ${again}`)
  return error
}

/** Refusals of an order that stay, whatever is repeated. */
const FINAL = new Set([
  'ORDER_BAD_FEE',
  'ORDER_QUOTE_EXPIRED',
  'ORDER_EXPIRED',
  'ORDER_NO_EVENT',
  'ORDER_WRONG_SERVICE',
  'ORDER_WRONG_CONSUMER',
  'ORDER_WRONG_ENVIRONMENT',
  'ORDER_UNDERPAID',
])

/** An error of a download that was paid for: names what was bought, and the command that resumes it. */
export function afterPurchase(
  error: Error & { code?: string },
  { order, transactions }: Bought,
  again: (code: string) => string,
): Error {
  const { code, lines, exitCode } = failureOf(error)
  if (exitCode === EXIT.interrupted) return error
  if (FINAL.has(code)) {
    const truth = `order ${order} cannot be used, and was paid. Do not pay again: ask the operator of the provider.`
    return new CommandError(code, `${lines.join(' ')} The ${truth}`, exitCode, transactions)
  }
  const message = `${lines.join(' ')} The purchase is not lost: order ${order} is used, and nothing paid again, by: ${again(code)}`
  return new CommandError(code, message, exitCode, transactions)
}

/** Renames a file with another digest than expected, so that nobody mistakes it for the right one. */
function differing({ path, sha256 }: SavedFile, expected: string): CommandError {
  const aside = `${path}.differs`
  renameSync(path, aside)
  return new CommandError(
    'CHECKSUM',
    `the SHA-256 is ${sha256}, and ${expected} was expected. The file is kept as ${shown(aside)}.`,
  )
}

/** Writes one file to standard output, as fast as that is read. */
export async function toStandardOutput(
  { client, signal, out }: WalletSession,
  { did, service, order, file, sha256 }: Wanted,
): Promise<void> {
  const { createHash } = await import('node:crypto')
  const { stdout } = process
  const download = await client.download(did, { service, order, file, signal })
  const expected = sha256 ?? download.sha256
  const hash = createHash('sha256')
  for await (const piece of Readable.fromWeb(download.stream() as never) as AsyncIterable<Uint8Array>) {
    hash.update(piece)
    if (!stdout.write(piece)) await once(stdout, 'drain', { signal })
  }
  const found = hash.digest('hex')
  if (expected !== undefined && found !== expected)
    throw new CommandError('CHECKSUM', `the bytes differ: SHA-256 ${found} was written, and ${expected} was expected.`)
  out.note(`${shown(download.name)}  sha256 ${found}`)
}

/** Downloads several files into a folder. One that an earlier run has left there complete is not downloaded again. */
export async function fetchAll(
  session: WalletSession,
  wanted: Omit<Wanted, 'file'> & { target: Target },
  files: readonly number[],
): Promise<Fetched[]> {
  const { client, out, signal } = session
  const fetched: Fetched[] = []
  for (const file of files) {
    const existing = await fetchFile(session, { ...wanted, file }).then(
      (one) => void fetched.push(one),
      (error: Error) => {
        if ((error as NodeJS.ErrnoException).code !== 'FILE_EXISTS') throw error
        return error
      },
    )
    if (!existing) continue
    const { did, service, order, target } = wanted
    const opened = await client.download(did, { service, order, file, signal })
    opened.cancel()
    const name = opened.name
    // two files of the asset may have one name
    if (fetched.some(({ path }) => path === join(target.folder, name)))
      fetched.push(await fetchFile(session, { ...wanted, file, target: { ...target, name: `${file}-${name}` } }))
    else out.note(`file ${file}: ${shown(name)} already exists and is left as it is (--force overwrites it)`)
  }
  return fetched
}
