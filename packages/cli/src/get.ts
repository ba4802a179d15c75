import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { AssetService } from '@tidegate/client'
import { CommandError, misuse } from '@tidegate/provider/commands/failures'
import type { Hex } from 'viem'
import { fileText, serviceOf } from './people/assets.js'
import { fetchAll, fetchFile, fetchToStream, withOrder } from './people/download/fetch.js'
import { isStandardOutput, OutputStream, STREAM_CODES, streamTargetOf } from './people/download/stream-target.js'
import { assertRoom, assertWritable, nameInFolder, type Target, targetOf } from './people/download/target.js'
import { type Cap, did, forSigning, MAX_PRICE, SERVICE, whole, YES } from './people/options.js'
import { purchase } from './people/purchase.js'
import { inSession, type PeopleOptions } from './people/session.js'
import { shown } from './people/text.js'

export const command = (finish: (code: number) => void) =>
  forSigning('get', 'tidegate get did:op:0c46… -o tides.csv --keystore wallet.json')
    .description(
      'Downloads the files of an asset. Uses an order that is still valid; otherwise it shows the full price and asks. Repeat the command to resume an interrupted download.',
    )
    .argument('<did>', 'the asset', did)
    .option(
      '-o, --output <path>',
      'the file or folder to write (default: this folder); - is standard output, and a device or FIFO is written to. A link to a file is not followed',
    )
    .option('--file <n>', 'which of its files, counted from 0', whole)
    .option('--all', 'all of its files, into a folder')
    .option(...SERVICE)
    .option('--sha256 <hash>', 'what the SHA-256 of the file must be', sha256)
    .option('--force', 'overwrite an existing file; of a link, the link itself')
    .option(...MAX_PRICE)
    .option(...YES)
    .action(async (did, options) => finish(await get(did, options)))

interface GetOptions extends PeopleOptions {
  output?: string
  file?: number
  all?: true
  service?: string
  sha256?: string
  force?: true
  maxPrice?: Cap
  yes?: true
}

/** `tidegate get`. Returns the exit code. Throws CommandError, TidegateError. */
export async function get(did: string, options: GetOptions): Promise<number> {
  if (options.all && options.file !== undefined) throw misuse('--file and --all contradict each other.')
  if (options.all && options.sha256) throw misuse('--sha256 checks one file: use it with --file, not with --all.')
  const force = options.force === true
  const stream = streamTargetOf(options.output, force)
  if (stream && options.all) throw misuse('--output: several files need a folder.')
  if (isStandardOutput(stream) && options.json)
    throw misuse('--output -: standard output takes one file, and nothing else.')
  const target = stream ? undefined : targetOf(options.output, options.all === true)
  if (target) await assertWritable(target, force)
  return inSession(options, 'wallet', async (session) => {
    const { client, out, signal } = session
    const asset = await client.asset(did, { signal })
    const service = serviceOf(asset, options.service)
    const files = chosen(service, options)
    // at a fee by size, an order for one file opens no other
    const quote = await client.quote(did, { service: service.id, file: files.length > 1 ? undefined : files[0] })
    if (options.all && !quote.order) assertFirstAvailable(service)
    // while nothing is paid yet; of several files those that exist are skipped
    // with an order, some of them may be there already
    if (target && options.all && !quote.order) assertRoom(target, sizeOf(service, files))
    if (target && !options.all) {
      const expected = named(target, did, service, files[0] as number)
      assertRoom(expected, sizeOf(service, files))
      await assertWritable(expected, force)
    }
    const again = commandOf(did, options)
    const elsewhere = commandOf(did, { ...options, output: 'ANOTHER-NAME' })
    const opening = stream && OutputStream.open(stream, signal, (line) => out.note(line))
    const output = await opening?.catch((error) => {
      if (!quote.order || !STREAM_CODES.has(error.code)) throw error
      throw withOrder(error, { order: quote.order as Hex, transactions: [] }, () => elsewhere)
    })
    try {
      const bought = quote.order
        ? undefined
        : await purchase(session, {
            asset,
            service,
            quote,
            yes: options.yes === true,
            maxPrice: options.maxPrice,
            again,
          })
      const order = bought?.order ?? (quote.order as Hex)
      const about = {
        did,
        service: service.id,
        order,
        signal,
        sha256: options.sha256,
        force,
        again,
      }
      const [file] = files as [number]
      const fetching = async () => {
        if (!target)
          return [await fetchToStream(session, { ...about, file }, options.output as string, output as OutputStream)]
        return options.all
          ? fetchAll(session, { ...about, target }, files)
          : [await fetchFile(session, { ...about, file, target })]
      }
      const fetched = await fetching().catch((error) => {
        // what a stream has taken is of no use
        const isLost = stream !== undefined && STREAM_CODES.has(error.code)
        if (!bought && !isLost && error.code !== 'DISK_FULL') throw error
        const { transactions } = bought ?? { transactions: [] }
        throw withOrder(error, { order, transactions }, (code) => (ELSEWHERE.has(code) || isLost ? elsewhere : again))
      })
      if (isStandardOutput(stream)) return
      for (const { path, bytes, sha256 } of fetched) out.print(`${path}  ${bytes} bytes  sha256 ${sha256}`)
      const { transactions = [] } = bought ?? {}
      const common = { did, order, bought: bought !== undefined && !bought.reused, transactions }
      out.result(options.all ? { ...common, files: fetched } : { ...common, ...fetched[0] })
    } finally {
      output?.close()
    }
  })
}

/** The target with the name that the file will get there, if that is known. */
function named(target: Target, did: string, { id, files }: AssetService, file: number): Target {
  if (target.name !== undefined) return target
  const described = files.find(({ index }) => index === file)?.name
  const name = nameInFolder(target.folder, { did, service: id, file }, described)
  return name === undefined ? target : { ...target, name }
}

/** Which files are wanted. Throws CommandError if that is not clear, or there is no such file. */
function chosen({ files }: AssetService, { file, all }: GetOptions): number[] {
  if (all) return files.map(({ index }) => index)
  if (file === undefined && files.length <= 1) return [0]
  if (file !== undefined && (files.length === 0 || files.some(({ index }) => index === file))) return [file]
  const list = files.map((one) => `${one.index}: ${fileText(one)}`).join('; ')
  if (file !== undefined) throw new CommandError('NO_SUCH_FILE', `there is no file ${file}. There are: ${list}`)
  throw misuse(`there are ${files.length} files: choose one with --file N, or take --all. ${list}`)
}

/** The provider tests a file that a quote names, and a quote for all files names none. */
function assertFirstAvailable({ files }: AssetService): void {
  if (files[0]?.available === false)
    throw new CommandError('FILE_UNAVAILABLE', 'file 0 is not available now. Nothing was bought.')
}

/** Bytes of files, as far as the provider tells; undefined if it tells none. */
function sizeOf({ files }: AssetService, wanted: number[]): number | undefined {
  const sizes = files.filter(({ index }) => wanted.includes(index)).flatMap(({ size }) => size ?? [])
  return sizes.length === 0 ? undefined : sizes.reduce((sum, size) => sum + size, 0)
}

/** Codes of failures that stay at this name or in this folder. */
const ELSEWHERE = new Set(['FILE_EXISTS', 'NAME_TOO_LONG', 'NOT_A_FILE', 'NOT_WRITABLE', 'NO_FOLDER'])

/** The command as it was typed, to be repeated. */
function commandOf(did: string, { output, file, all, service, maxPrice, account, keystore }: GetOptions): string {
  const words = [
    ...(output ? ['-o', output] : []),
    ...(file === undefined ? [] : ['--file', `${file}`]),
    ...(all ? ['--all'] : []),
    ...(service ? ['--service', service] : []),
    ...(maxPrice ? ['--max-price', [maxPrice.amount, maxPrice.token].filter(Boolean).join(':')] : []),
    ...(keystore ? ['--keystore', keystore] : []),
    ...(account === undefined ? [] : ['--account', `${account}`]),
  ]
  return [
    'tidegate',
    'get',
    did,
    ...words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${shown(word)}'`)),
  ].join(' ')
}

function sha256(text: string): string {
  if (!/^[0-9a-fA-F]{64}$/.test(text)) throw new InvalidArgumentError('It must be a SHA-256, 64 hexadecimal digits.')
  return text.toLowerCase()
}
