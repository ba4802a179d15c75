import { createHash } from 'node:crypto'
import { copyFileSync, createWriteStream, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DocumentReader } from '../../../../src/assets/documents.js'
import { type CheckOptions, checkFile } from '../../../../src/assets/index/file/check.js'
import { importIndex } from '../../../../src/assets/index/file/import.js'
import type { Chain } from '../../../../src/chain/chains.js'
import { connectChains } from '../../../../src/chain/connect.js'
import { loadSettings } from '../../../../src/config/load.js'
import { openSqliteStore } from '../../../../src/state/sqlite.js'
import { TaskSandbox } from '../../../../src/tasks/task-sandbox.js'
import { eventually } from '../../../helpers/eventually.js'
import { measured } from '../../../helpers/measured.js'
import { nftOf, SCRIPTED_CHAIN, SCRIPTED_FACTORY, ScriptedNode } from '../../../helpers/scripted-node.js'
import { sized } from '../../../helpers/sizes.js'

const HEAD = 1000
/** Rows of a file, and the MiB of the name in each: 300 or 600 in all, which compress to a thousandth. */
const ROWS = 30
const MIB = sized(10, 20)
const NAME = 'x'.repeat(MIB * 1024 * 1024)
/** MiB that one row and a batch may take at most, in the forms that a row has while it is read. */
const MOST = sized(350, 500)
/** Bytes of a file that is cut while it is read: more than its reader has buffered by then. */
const CUT = MIB * 15_000

describe('a file of the index whose rows are huge', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  const path = join(folder, 'huge.gz')
  const store = openSqliteStore(folder)
  const sandbox = new TaskSandbox()
  let node: ScriptedNode
  let options: CheckOptions
  let sha256: string

  beforeAll(async () => {
    // the chain has none of its assets
    node = await ScriptedNode.start(HEAD, () => [])
    const addresses = { scripted: { chainId: SCRIPTED_CHAIN, startBlock: 1, ERC721Factory: SCRIPTED_FACTORY } }
    writeFileSync(join(folder, 'address.json'), JSON.stringify(addresses))
    const settings = loadSettings({
      NETWORK_URL: JSON.stringify({ [SCRIPTED_CHAIN]: node.url }),
      PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
      ADDRESS_FILE: join(folder, 'address.json'),
    })
    const chain = (await connectChains(settings)).get(SCRIPTED_CHAIN) as Chain
    options = { chain, documents: new DocumentReader(sandbox, 1e6), maxDocument: 1e6, sample: ROWS, seed: 1 }
    sha256 = await writeHuge(path, chain.deployment.factory)
  })
  afterAll(async () => {
    await sandbox.close()
    await store.close()
    await node.close()
    rmSync(folder, { recursive: true })
  })

  it('is refused where the chain has others, with no more than a few rows in memory', async () => {
    const { grown, result } = await measured(() => checkFile(path, options).catch((error: Error) => error))
    expect(String(result)).toMatch(/is not what the chain has/)
    expect(grown).toBeLessThan(MOST)
  })

  it.each(['check', 'import'] as const)('leaves nothing open when it is cut while the %s reads it', async (command) => {
    const cut = join(folder, `cut-${command}.gz`)
    copyFileSync(path, cut)
    const open = descriptors()
    const { chain } = options
    // the first row asks the chain for something, or is stored; the rest is gone by then
    const gone = () => truncateSync(cut, CUT)
    const { grown, result } = await measured<unknown>(() => {
      const work: Promise<unknown> =
        command === 'check'
          ? checkFile(cut, options)
          : importIndex(cut, { ...options, chain, store, sha256, concurrency: 4, onProgress: gone })
      if (command === 'check') gone()
      return work.catch((error: Error) => error)
    })
    expect(String(result)).toMatch(/the file is cut off|is not what the chain has/)
    expect(grown).toBeLessThan(MOST)
    await eventually(() => descriptors() <= open)
  })

  it('is written in batches that hold no more than a few rows', async () => {
    const { chain, documents, maxDocument } = options
    const { grown, result } = await measured(() =>
      importIndex(path, { chain, store, documents, maxDocument, sha256, concurrency: 4 }),
    )
    expect(result.nfts).toBe(ROWS)
    expect(grown).toBeLessThan(MOST)
  })
})

const descriptors = () => readdirSync('/proc/self/fd').length

/** Writes a file of NFTs with long names. Returns its SHA-256. */
async function writeHuge(path: string, factory: string): Promise<string> {
  const hash = createHash('sha256')
  let sha256 = ''
  function* lines() {
    const header = {
      ...{ format: 'tidegate-index', version: 1, decoder: 1, software: '0', chainId: SCRIPTED_CHAIN, factory },
      ...{ startBlock: 1, checkpoint: { block: HEAD - 1, hash: toHex(HEAD - 1, { size: 32 }) } },
      counts: { nfts: ROWS, datatokens: 0, assets: 0 },
    }
    const common = { name: NAME, symbol: 's', tokenUri: '', owner: nftOf(1), created: '1970-01-01T00:00:10Z' }
    const addresses = Array.from({ length: ROWS }, (_, at) => nftOf(at)).sort()
    for (const line of [header, ...addresses.map((address) => ({ kind: 'nft', nft: { address, ...common } }))]) {
      const text = `${JSON.stringify(line)}\n`
      hash.update(text)
      yield text
    }
    sha256 = hash.digest('hex')
    yield `${JSON.stringify({ kind: 'end', sha256 })}\n`
  }
  await pipeline(Readable.from(lines()), createGzip(), createWriteStream(path))
  return sha256
}
