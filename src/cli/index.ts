import { randomInt } from 'node:crypto'
import { statSync } from 'node:fs'
import { Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { DocumentReader } from '../assets/documents.js'
import { type Checked, checkFile, checkHeader } from '../assets/index/file/check.js'
import { exportIndex } from '../assets/index/file/export.js'
import { IndexFileError, type IndexFileHeader } from '../assets/index/file/format.js'
import { type Imported, importIndex } from '../assets/index/file/import.js'
import { openIndexFile } from '../assets/index/file/rows.js'
import { connectChains } from '../chain/connect.js'
import { loadSettings } from '../config/load.js'
import { StartError } from '../errors.js'
import { openStore } from '../state/open.js'
import { configuredDatabase } from '../state/transfer/place.js'
import { TaskSandbox } from '../tasks/task-sandbox.js'
import { CommandError } from './failures.js'
import { CONFIG, chainId } from './options.js'
import { Output } from './people/output.js'

/** NFTs that are compared with the chain unless `--sample` says otherwise. */
const SAMPLE = 48

/** Rows from which on an import says how far it is. */
const LONG = 5000

const JSON_OPTION = ['--json', 'print one JSON object on standard output'] as const

export const command = (finish: (code: number) => void) => {
  const index = new Command('index').description(
    'Exports and imports the index of a chain, so that a new instance need not read years of it.',
  )
  index
    .command('export')
    .description('Writes the index of a chain to a file. The service may run meanwhile.')
    .argument('<file>', 'the file; it holds only what is public on the chain')
    .option('--chain <id>', 'the chain, where the index has several', chainId)
    .option('--force', 'replace the file if it exists')
    .option(...JSON_OPTION)
    .option(...CONFIG)
    .addHelpText('after', '\nExample:\n  tidegate index export index.gz')
    .action(async (file, options) => finish(await writeIndex(file, options)))
  index
    .command('import')
    .description('Checks a file of the index against the chain, and imports it. The service may run meanwhile.')
    .argument('<file>', 'the file')
    .option('--sample <n>', 'NFTs to compare with the chain, or all', sample, SAMPLE)
    .option('--seed <n>', 'choose the same sample as another time', seed)
    .option(...JSON_OPTION)
    .option(...CONFIG)
    .addHelpText('after', '\nExample:\n  tidegate index import index.gz --sample 200')
    .action(async (file, options) => finish(await readIndex(file, options)))
  return index
}

/** The size of a sample, or infinity. Throws InvalidArgumentError. */
function sample(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number below a million, or all.')
  return Number(text)
}

/** The seed of a sample. Throws InvalidArgumentError. */
function seed(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of at most ten digits.')
  return Number(text)
}

interface ExportOptions {
  chain?: number | undefined
  force?: true | undefined
  json?: true | undefined
  config?: string | undefined
}

/** `tidegate index export`. Returns the exit code. Throws StartError. */
async function writeIndex(file: string, { chain, force, json, config }: ExportOptions): Promise<number> {
  const settings = loadSettings(process.env, config)
  const out = new Output(json === true)
  const chains = await connectChains(settings)
  const options = { from: configuredDatabase(settings), chains, chainId: chain, force: force === true }
  const { chainId, checkpoint, nfts, datatokens, assets, bytes, sha256 } = await exportIndex(file, options)
  out.print(
    `the index of chain ${chainId} up to block ${checkpoint.block} is in ${file}: ${counted(nfts, datatokens, assets)}, ${bytes} bytes`,
    `SHA-256 of its lines: ${sha256}`,
  )
  out.result({ file, chainId, checkpoint, nfts, datatokens, assets, bytes, sha256 })
  return 0
}

interface ImportOptions {
  sample: number
  seed?: number | undefined
  json?: true | undefined
  config?: string | undefined
}

/** `tidegate index import`. Returns the exit code. Throws StartError and CommandError. */
async function readIndex(file: string, options: ImportOptions): Promise<number> {
  const settings = loadSettings(process.env, options.config)
  const out = new Output(options.json === true)
  const { seed = randomInt(2 ** 32), sample } = options
  const sandbox = new TaskSandbox()
  try {
    // it is read twice
    if (!statSync(file).isFile()) throw new StartError([`${file} is not a regular file.`])
    const { header, rows } = await openIndexFile(file)
    await rows.return('')
    const chain = (await connectChains(settings)).get(header.chainId)
    if (!chain) throw new IndexFileError(`line 1, chainId: chain ${header.chainId} is not among those of NETWORK_URL.`)
    await checkHeader(header, chain)
    const documents = new DocumentReader(sandbox, settings.MAX_DDO_SIZE, settings.MAX_DDO_INFLATION)
    const common = { chain, documents, maxDocument: settings.MAX_DDO_SIZE }
    out.note(
      `checking ${file}, and ${sample === Number.POSITIVE_INFINITY ? 'all' : sample} of its NFTs with the chain …`,
    )
    const checked = await checkFile(file, { ...common, sample, seed })
    const store = await openStore(settings)
    try {
      const { sha256 } = checked
      const concurrency = settings.INDEX_CONCURRENCY
      const onProgress = progressOf(header.counts, out)
      report(out, await importIndex(file, { ...common, store, sha256, concurrency, onProgress }), checked, seed)
    } finally {
      await store.close()
    }
    return 0
  } catch (error) {
    throw refusalOf(file, error)
  } finally {
    await sandbox.close()
  }
}

/** Notes each tenth of a long import. */
function progressOf({ nfts, datatokens, assets }: IndexFileHeader['counts'], out: Output): (rows: number) => void {
  const total = nfts + datatokens + assets
  let tenths = 0
  return (rows) => {
    if (total < LONG || Math.floor((10 * rows) / total) === tenths) return
    tenths = Math.floor((10 * rows) / total)
    out.note(`${rows} of ${total} rows …`)
  }
}

function report(out: Output, imported: Imported, { sampled, complete, sha256 }: Checked, seed: number): void {
  const { chainId, checkpoint, nfts, datatokens, assets, read } = imported
  out.print(
    `the index of chain ${chainId} was imported up to block ${checkpoint.block}: ${counted(nfts, datatokens, assets)}; ${read} documents were read from the chain`,
    `compared with the chain: ${sampled} NFTs with what belongs to them (seed ${seed})`,
    ...(complete ? [] : ['not compared: datatokens, orders and later states, since the nodes give few blocks at once']),
    `SHA-256 of its lines: ${sha256}`,
  )
  out.result({ chainId, checkpoint, nfts, datatokens, assets, read, sampled, complete, seed, sha256 })
}

const counted = (nfts: number, datatokens: number, assets: number) =>
  `${nfts} NFTs, ${datatokens} datatokens, ${assets} assets`

/** Says which file was refused, or cannot be opened. */
function refusalOf(file: string, error: unknown): unknown {
  if (error instanceof IndexFileError) return new CommandError('INDEX_FILE', `${file}: ${error.message}`)
  return (error as NodeJS.ErrnoException).code === 'ENOENT' ? new StartError([`${file} does not exist.`]) : error
}
