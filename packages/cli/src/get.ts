import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { Asset, AssetService, Bought, Quote } from '@tidegate/client'
import { misuse } from '@tidegate/provider/commands/failures'
import type { Hex } from 'viem'
import { fileList, fileOf, serviceOf } from './people/assets.js'
import { presentIfAsked, readQuote } from './people/credentials/presentation.js'
import { type Fetched, fetchFile, fetchToStream, withOrder } from './people/download/fetch.js'
import type { FetchedAll, Filling } from './people/download/fetch-all.js'
import { assertFirstAvailable, sizeOf, withName } from './people/download/files.js'
import { commandOf, ELSEWHERE, elsewhereOf } from './people/download/repeat.js'
import {
  isStandardOutput,
  OutputStream,
  STREAM_CODES,
  type StreamTarget,
  streamTargetOf,
} from './people/download/stream-target.js'
import { assertRoom, assertWritable, makeFolder, type Target, targetOf } from './people/download/target.js'
import {
  ACCEPT_TERMS,
  type Cap,
  did,
  forSigning,
  MAX_PRICE,
  PAY_WITH,
  SERVICE,
  type WhichFile,
  whichFile,
  YES,
} from './people/options.js'
import { purchase } from './people/purchase.js'
import { inSession, type PeopleOptions, type WalletSession } from './people/session.js'

export const command = (finish: (code: number) => void) =>
  forSigning('get', 'tidegate get did:op:0c46… -o tides.csv --keystore wallet.json')
    .description(
      'Downloads the files of an asset. Uses an order that is still valid; otherwise it shows the full price and asks. Repeat the command to resume an interrupted download.',
    )
    .argument('<did>', 'the asset', did)
    .option(
      '-o, --output <path>',
      'file, folder, device or FIFO to write to; - is standard output (default: this folder). A slash at the end, or --all, makes a missing folder. Links to files are not followed',
    )
    .option('--file <n|name>', 'a file, by its number from 0 or its name', whichFile)
    .option(
      '--all',
      'all files, into a folder. Files of an earlier run stay, unless the asset has another version of them',
    )
    .option(
      '--sync',
      'with --all: make the folder equal to the asset. Files that earlier runs wrote are replaced, moved and removed; no others are',
    )
    .option('--archive', 'all files, as one ZIP archive')
    .option(...SERVICE)
    .option('--sha256 <hash>', 'expected SHA-256 of the file', sha256)
    .option(
      '--force',
      'overwrite existing files, or replace an existing link. With --sync, only files that were changed here',
    )
    .option(...MAX_PRICE)
    .option(...PAY_WITH)
    .option(...ACCEPT_TERMS)
    .option(...YES)
    .action(async (did, options) => finish(await get(did, options)))

interface GetOptions extends PeopleOptions {
  output?: string
  file?: WhichFile
  all?: true
  sync?: true
  archive?: true
  service?: string
  sha256?: string
  force?: true
  maxPrice?: Cap
  payWith?: string
  acceptTerms?: true
  yes?: true
}

/** `tidegate get`. Returns the exit code. Throws CommandError, TidegateError. */
export async function get(did: string, options: GetOptions): Promise<number> {
  const destination = destinationOf(options)
  if (destination.target) await assertWritable(destination.target, options.force === true)
  return inSession(options, 'wallet', async (session) => {
    const asset = await session.client.asset(did, { signal: session.signal })
    const service = serviceOf(asset, options.service)
    const files = requestedFiles(service, options)
    // an order for one file pays no fee by size of the others
    const quote = await readQuote(session, did, {
      service: service.id,
      file: files.length > 1 ? undefined : files[0],
    })
    const { file, ...rest } = options
    const chosen = file === undefined ? rest : { ...rest, file: files[0] as number }
    const run: Run = { did, options: chosen, destination, asset, service, files, quote }
    const filling = await fillingOf(run)
    await assertRunnable(run)
    const isComplete = filling?.plan.missing.length === 0
    if (!isComplete) run.quote = await presentIfAsked(session, quote, options.payWith)
    const output = await openOutput(session, run)
    try {
      const bought = run.quote.order || isComplete ? undefined : await buy(session, run)
      report(session, run, bought, await fetchFiles(session, { ...run, filling }, bought, output))
    } finally {
      output?.close()
    }
  })
}

interface Destination {
  /** Undefined for files and folders. */
  stream?: StreamTarget | undefined
  target?: Target | undefined
}

interface Run {
  did: string
  /** `file`: its number. */
  options: Omit<GetOptions, 'file'> & { file?: number }
  destination: Destination
  asset: Asset
  service: AssetService
  files: number[]
  quote: Quote
}

/** Compares the folder of `--all` with the files. Throws CommandError if the download would mix versions: nothing is paid before. */
async function fillingOf({ did, options, destination: { target }, service }: Run): Promise<Filling | undefined> {
  if (!options.all || !target) return undefined
  const { planFilling } = await import('./people/download/fetch-all.js')
  const { sync = false, force = false } = options
  return planFilling(target.folder, { did, service: service.id, files: service.files }, { sync, force })
}

/** Throws CommandError if options contradict each other, or if nothing can be written to the destination. */
function destinationOf({ output, file, all, sync, archive, sha256, force, json }: GetOptions): Destination {
  if (sync && !all) throw misuse('--sync needs --all.')
  if (all && file !== undefined) throw misuse('--file and --all contradict each other.')
  if (archive && (all || file !== undefined))
    throw misuse('--archive takes all files: use it with neither --file nor --all.')
  if ((all || archive) && sha256)
    throw misuse(`--sha256 checks one file: use it with --file, not with ${all ? '--all' : '--archive'}.`)
  const stream = streamTargetOf(output, force === true)
  if (!stream) return { target: targetOf(output, all === true) }
  if (all) throw misuse('--output: several files need a folder.')
  if (isStandardOutput(stream) && json)
    throw misuse('--output -: standard output cannot hold both the file and the JSON.')
  return { stream }
}

/** Checks that need no payment. Throws CommandError if the files are unavailable, or the destination cannot take them. */
async function assertRunnable({ did, options, destination: { target }, service, files, quote }: Run): Promise<void> {
  if (options.all || options.archive) {
    // some of the files may exist from an earlier run
    if (quote.order) return
    assertFirstAvailable(service)
    if (target) assertRoom(target, sizeOf(service, files))
  } else if (target) {
    const named = withName(target, did, service, files[0] as number)
    assertRoom(named, sizeOf(service, files))
    await assertWritable(named, options.force === true)
  }
}

async function openOutput(
  { signal, out }: WalletSession,
  { did, options, destination: { stream }, quote: { order } }: Run,
): Promise<OutputStream | undefined> {
  if (!stream) return undefined
  return OutputStream.open(stream, signal, (line) => out.note(line)).catch((error) => {
    if (!order || !STREAM_CODES.has(error.code)) throw error
    throw withOrder(error, { order, transactions: [] }, () => elsewhereOf(did, options))
  })
}

async function buy(session: WalletSession, { did, options, asset, service, quote }: Run): Promise<Bought> {
  const { yes, acceptTerms, maxPrice, payWith } = options
  const again = commandOf(did, options)
  const bought = await purchase(session, { asset, service, quote, yes, acceptTerms, maxPrice, payWith, again })
  // at once: a signal, a closed pipe or a full disk may end the command without another message
  session.out.note(`Order ${bought.order}. To use it without another payment, run: ${again}`)
  return bought
}

async function fetchFiles(
  session: WalletSession,
  {
    did,
    options,
    destination: { stream, target },
    service,
    files,
    quote,
    filling,
  }: Run & { filling: Filling | undefined },
  bought: Bought | undefined,
  output: OutputStream | undefined,
): Promise<Pick<FetchedAll, 'files'> & Partial<FetchedAll>> {
  const { order, transactions } = bought ?? { order: quote.order as Hex, transactions: [] }
  const again = commandOf(did, options)
  const force = options.force === true
  const wanted = { did, service: service.id, order, sha256: options.sha256, force, again }
  const file = options.archive ? undefined : files[0]
  const fetching = async () => {
    if (output) return { files: [await fetchToStream(session, { ...wanted, file }, options.output as string, output)] }
    const inFolder = { ...wanted, target: target as Target }
    makeFolder(inFolder.target)
    if (!filling) return { files: [await fetchFile(session, { ...inFolder, file })] }
    const { fetchAll } = await import('./people/download/fetch-all.js')
    return fetchAll(session, inFolder, filling)
  }
  return fetching().catch((error) => {
    // bytes that a failed stream took are lost
    const isLost = stream !== undefined && STREAM_CODES.has(error.code)
    if (!bought && !isLost && error.code !== 'DISK_FULL') throw error
    throw withOrder(error, { order, transactions }, (code) =>
      ELSEWHERE.has(code) || isLost ? elsewhereOf(did, options) : again,
    )
  })
}

function report(
  { out }: WalletSession,
  { did, options, destination, quote }: Run,
  bought: Bought | undefined,
  { files, ...rest }: { files: Fetched[] } & Partial<FetchedAll>,
) {
  if (isStandardOutput(destination.stream)) return
  for (const { path, bytes, sha256 } of files) out.print(`${path}  ${bytes} bytes  sha256 ${sha256}`)
  const { order, transactions } = bought ?? { order: quote.order, transactions: [] }
  const common = { did, order, bought: bought !== undefined && !bought.reused, transactions }
  out.result(options.all ? { ...common, files, ...rest } : { ...common, ...files[0] })
}

/** Numbers of the requested files. Throws CommandError if there is no such file, or if one must be chosen. */
function requestedFiles(service: AssetService, { file, all, archive }: GetOptions): number[] {
  const { files } = service
  if (all || archive) return files.map(({ index }) => index)
  if (file !== undefined) return [fileOf(service, file)]
  if (files.length <= 1) return [0]
  throw misuse(
    `there are ${files.length} files: choose one with --file, or take --all or --archive. ${fileList(service)}`,
  )
}

function sha256(text: string): string {
  if (!/^[0-9a-fA-F]{64}$/.test(text)) throw new InvalidArgumentError('It must be a SHA-256, 64 hexadecimal digits.')
  return text.toLowerCase()
}
