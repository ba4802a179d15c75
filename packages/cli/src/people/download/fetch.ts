import { join, sep } from 'node:path'
import { Readable } from 'node:stream'
import type { Bought, Progress as Transferred } from '@tidegate/client'
import type { SavedFile } from '@tidegate/client/node'
import { renameAnew } from '@tidegate/common/safe-files'
import { CommandError, EXIT, failureOf } from '@tidegate/provider/commands/failures'
import type { Hex } from 'viem'
import { withCredentials } from '../credentials/presentation.js'
import { showProgress } from '../output/progress.js'
import { interrupted } from '../output/prompts.js'
import { shown } from '../output/text.js'
import type { WalletSession } from '../session.js'
import type { OutputStream } from './stream-target.js'
import type { Target } from './target.js'

interface Wanted {
  did: string
  service: string
  order: Hex
  /** Undefined for an archive of all. */
  file: number | undefined
  /** Expected SHA-256, if the user names one. */
  sha256: string | undefined
  /** Whether an existing file is overwritten. */
  force: boolean
  /** The command that resumes after an interruption. */
  again: string
}

export interface WantedFile extends Wanted {
  target: Target
  /** Maps the provider's name to the name in the folder. */
  nameInFolder?: ((name: string) => string) | undefined
}

export interface Fetched {
  /** Undefined for an archive. */
  file: number | undefined
  path: string
  bytes: number
  sha256: string
}

/** Downloads one file, or resumes an earlier run. Throws CommandError, TidegateError, errors of the file system. */
export async function fetchFile(
  session: WalletSession,
  { did, service, order, file, sha256, force, again, target, nameInFolder }: WantedFile,
): Promise<Fetched> {
  const { client, signal } = session
  const { downloadToFile } = await import('@tidegate/client/node')
  const progress = await showProgress(shown(target.name ?? (file === undefined ? 'archive' : `file ${file}`), 60))
  try {
    const onProgress = ({ received, total }: Transferred) => progress.update(received, total)
    const options = { service, order, ...filesOf(file), signal, overwrite: force, onProgress, nameInFolder }
    const to = join(target.folder, target.name ?? sep)
    const download = () => downloadToFile(client.context, did, to, options)
    const done = await withCredentials(session, { did, service }, download)
    if (sha256 !== undefined && done.sha256 !== sha256) throw await differing(done, sha256)
    return { file, path: done.path, bytes: done.bytes, sha256: done.sha256 }
  } catch (error) {
    const kept = file === undefined ? 'an archive does not resume. Repeat' : 'the partial download is kept. Resume'
    if (signal.aborted) throw interrupted(`interrupted; ${kept} with: ${again}`)
    throw withWayOn(error as Error & { code?: string })
  } finally {
    progress.stop()
  }
}

const filesOf = (file: number | undefined) => (file === undefined ? { archive: true } : { file })

/** Adds the remedy to an error that is not the provider's. */
function withWayOn(error: Error & { code?: string }): Error {
  if (error.code === 'FILE_EXISTS')
    return new CommandError(error.code, `${error.message} Overwrite it with --force, or choose another name with -o.`)
  return error
}

/** Refusals of an order that a retry cannot change. */
const FINAL = new Set([
  'ORDER_BAD_FEE',
  'ORDER_QUOTE_EXPIRED',
  'ORDER_EXPIRED',
  'ORDER_NO_EVENT',
  'ORDER_WRONG_SERVICE',
  'ORDER_WRONG_CONSUMER',
  'ORDER_WRONG_ENVIRONMENT',
  'ORDER_WRONG_FILE',
  'ORDER_FILE_GONE',
  'ORDER_UNDERPAID',
])

/** Adds the paid order to an error of its download, and the command that uses it. */
export function withOrder(
  error: Error & { code?: string },
  { order, transactions }: Pick<Bought, 'order' | 'transactions'>,
  again: (code: string) => string,
): Error {
  const { code, lines, exitCode } = failureOf(error)
  if (exitCode === EXIT.interrupted) return error
  if (FINAL.has(code)) {
    const truth = `Order ${order} was paid, but cannot be used. Do not pay again: ask the operator of the provider.`
    return new CommandError(code, `${lines.join(' ')} ${truth}`, exitCode, transactions)
  }
  const message = `${lines.join(' ')} The purchase is not lost. To use order ${order} without another payment, run: ${again(code)}`
  return new CommandError(code, message, exitCode, transactions)
}

/** Renames a file with another digest than expected, so that nobody uses it by mistake. */
async function differing({ path, sha256 }: SavedFile, expected: string): Promise<CommandError> {
  const aside = await firstFree(path)
  return new CommandError(
    'CHECKSUM',
    `the SHA-256 is ${sha256}, and ${expected} was expected. The file is kept as ${shown(aside)}.`,
  )
}

/** Most names that are tried for such a file. */
const ASIDE = 100

/** Renames a file to a free name. Keeps its name if that fails. */
async function firstFree(path: string): Promise<string> {
  for (let n = 0; n < ASIDE; n += 1) {
    const aside = `${path}.differs${n === 0 ? '' : `-${n}`}`
    const error = await renameAnew(path, aside).catch((error: NodeJS.ErrnoException) => error)
    if (!error) return aside
    if (error.code !== 'EEXIST') break
  }
  return path
}

/** Writes one file to a stream at its reader's speed. Throws CommandError, TidegateError. */
export async function fetchToStream(
  session: WalletSession,
  { did, service, order, file, sha256 }: Wanted,
  path: string,
  output: OutputStream,
): Promise<Fetched> {
  const { client, signal, out } = session
  const { createHash } = await import('node:crypto')
  const open = () => client.download(did, { service, order, ...filesOf(file), signal })
  const download = await withCredentials(session, { did, service }, open)
  const expected = sha256 ?? download.sha256
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of Readable.fromWeb(download.stream() as never) as AsyncIterable<Uint8Array>) {
    hash.update(piece)
    bytes += piece.length
    await output.write(piece)
  }
  const found = hash.digest('hex')
  if (expected !== undefined && found !== expected)
    throw new CommandError('CHECKSUM', `the bytes differ: SHA-256 ${found} was written, and ${expected} was expected.`)
  out.note(`${shown(download.name)}  sha256 ${found}`)
  return { file, path, bytes, sha256: found }
}
