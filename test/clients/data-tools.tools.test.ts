import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runHere } from '../helpers/command-here.js'
import { program } from '../helpers/deploy-tools.js'
import { dataPython } from '../helpers/python.js'
import { type Home, makeHome } from '../helpers/terminal.js'
import { World } from '../helpers/world.js'

const python = dataPython() as string
const rclone = python && join(dirname(python), 'rclone')
const r = program('Rscript')
const missing = ['curl', 'wget', 'aria2c'].filter((name) => !program(name))
if (missing.length > 0) console.warn(`SKIPPED: download programs. There is no ${missing.join(', ')}.`)

const ROWS = 200_000
const CSV = `hour,height\n${Array.from({ length: ROWS }, (_, hour) => `${hour},${hour % 7}`).join('\n')}\n`
const SUM = Array.from({ length: ROWS }, (_, hour) => hour % 7).reduce((sum, height) => sum + height, 0)

/** Names that shells, option parsers, patterns and lists read as more than a name. */
const TREE: Record<string, string> = {
  '#1 [1-3] {a,b}.csv': 'pattern',
  '$(touch pwned) `touch pwned`;&.csv': 'shell',
  '-': 'standard output',
  '--dir=x/-o y.csv': 'options',
  "it's, %41 ü 潮.csv": 'quotes',
  'x.torrent':
    'd8:announce9:http://x/4:infod6:lengthi1e4:name1:x12:piece lengthi16384e6:pieces20:aaaaaaaaaaaaaaaaaaaaee',
}

const MAKE_PARQUET = `
import sys, pandas
pandas.read_csv(sys.argv[1]).to_parquet(sys.argv[2], row_group_size=10000)
`
const READERS: Record<string, string> = {
  'pandas, CSV': 'import pandas; print(pandas.read_csv(csv)["height"].sum())',
  'pandas, Parquet': 'import pandas; print(pandas.read_parquet(parquet)["height"].sum())',
  'pandas, Parquet by ranges': `
import fsspec, pandas
with fsspec.open(parquet, block_size=20000) as file: print(pandas.read_parquet(file, columns=["height"])["height"].sum())`,
  'Polars, CSV': 'import polars; print(polars.scan_csv(csv).select("height").sum().collect().item())',
  'Polars, Parquet': 'import polars; print(polars.scan_parquet(parquet).select("height").sum().collect().item())',
  // its own extension for HTTP cannot be installed without another host
  'DuckDB, over fsspec': `
import datetime, duckdb
from fsspec.implementations.http import HTTPFileSystem
class Http(HTTPFileSystem):
    def modified(self, path): return datetime.datetime(2026, 1, 1)
duckdb.register_filesystem(Http())
for source in [f"read_csv('{csv}')", f"read_parquet('{parquet}')"]: total = duckdb.sql(f"SELECT sum(height)::BIGINT FROM {source}").fetchall()[0][0]
print(total)`,
}

/** Links in data tools and download programs. */
describe('a download link', () => {
  let world: World
  let home: Home
  let hostile: string
  let urls: { csv: string; parquet: string }
  beforeAll(async () => {
    if (!python) return
    world = await World.start()
    home = makeHome()
    for (const [name, content] of Object.entries({ ...TREE, '../tables/tides.csv': CSV })) {
      const path = at(join('hostile', name))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
    }
    hostile = await bought('hostile')
    await run(python, ['-c', MAKE_PARQUET, at('tables/tides.csv'), at('tables/tides.parquet')])
    const [csv, parquet] = (await link(await bought('tables'), '--all')).trim().split('\n') as [string, string]
    urls = { csv, parquet }
  })
  afterAll(async () => {
    await world?.close()
    home?.remove()
  })

  const at = (name: string) => join(home.folder, name)
  async function tidegate(...args: string[]): Promise<string> {
    const here = { TIDEGATE_PROVIDER: world.network.providerUrl, TIDEGATE_RPC: world.network.rpcUrl }
    const { status, stdout, stderr } = await runHere(args, {
      ...home.environment,
      ...here,
      XDG_STATE_HOME: at('state'),
    })
    expect(status, stderr).toBe(0)
    return stdout
  }
  /** Publishes files below a folder, and buys them. Returns the DID. */
  async function bought(folder: string): Promise<string> {
    const common = ['--yes', '--json']
    const published = await tidegate('publish', at(folder), '--name', 'Tides', '--free', '--account', '1', ...common)
    const { did } = JSON.parse(published)
    await tidegate('buy', did, '--account', '2', ...common)
    return did
  }
  const run = async (command: string, args: string[], cwd = home.folder) =>
    (await promisify(execFile)(command, args, { cwd, env: { ...home.environment, PATH: process.env.PATH } })).stdout
  const link = async (did: string, ...args: string[]) => tidegate('link', did, '--account', '2', ...args)

  describe.skipIf(!python)('of a table', () => {
    it.each(Object.entries(READERS))('is read by %s', async (_name, code) => {
      const given = `csv, parquet = ${JSON.stringify([urls.csv, urls.parquet])}\n`
      expect((await run(python, ['-W', 'ignore', '-c', given + code])).trim()).toBe(String(SUM))
    })

    // not part of the environment of tests
    if (r)
      it('is read by R', async () => {
        const code = `cat(format(sum(read.csv("${urls.csv}")$height), scientific = FALSE))`
        expect(await run(r, ['-e', code])).toBe(String(SUM))
      })

    it('is resumed by curl and wget, under its own name', async () => {
      mkdirSync(at('resumed'))
      for (const [name, args] of [
        ['curl', ['-sSf', '-C', '-', '-O', urls.csv]],
        ['wget', ['-q', '-c', urls.csv]],
      ] as const) {
        writeFileSync(at('resumed/tides.csv'), CSV.slice(0, 1_000_000))
        await run(name, [...args], at('resumed'))
        expect(readFileSync(at('resumed/tides.csv'), 'utf8') === CSV, name).toBe(true)
      }
    })

    it('is split by aria2', async () => {
      await run('aria2c', ['-q', '-x4', '-s4', '-k1M', '-d', at('split'), urls.csv])
      expect(readFileSync(at('split/tides.csv'), 'utf8') === CSV).toBe(true)
    })
  })

  describe.skipIf(missing.length > 0 || !rclone)('of an order with hostile names', () => {
    const DOWNLOADS: [string, (list: string, folder: string) => [string, string[]]][] = [
      ['curl', (list) => ['curl', ['-sS', '--config', list]]],
      ['aria2', (list) => ['aria2c', ['-q', `--input-file=${list}`]]],
      ['rclone', (list, folder) => [rclone, ['--config', '', 'copyurl', '--urls', list, folder]]],
    ]
    it.each(
      DOWNLOADS,
    )('is downloaded by %s into one folder, where another version is replaced (B1)', async (format, commandFor) => {
      const [list, folder] = [at(`${format}.txt`), at(format)]
      writeFileSync(list, await link(hostile, '--all', '--format', format))
      const [old = ''] = Object.keys(TREE)
      mkdirSync(dirname(join(folder, old)), { recursive: true })
      writeFileSync(join(folder, old), 'of another version')
      await run(...commandFor(list, folder), folder)
      const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile())
      const paths = entries.map(({ parentPath, name }) => join(parentPath, name))
      const got = Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]))
      expect(got).toEqual(TREE)
    })

    it('is downloaded by wget from a list of URLs', async () => {
      writeFileSync(at('urls.txt'), await link(hostile, '--all', '--format', 'urls'))
      await run('wget', ['-q', '-i', at('urls.txt'), '-P', at('wget')])
      expect(readdirSync(at('wget'))).toHaveLength(Object.keys(TREE).length)
    })
  })
})
