import { type SpawnSyncOptions, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { OpenedFile, StoredFile } from '@tidegate/storage'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { program } from '../../../../test/helpers/deploy-tools.js'
import { openArchive } from '../../src/http/files/archive.js'
import { zipLength } from '../../src/http/files/zip-format.js'

/** An even second: the times of DOS have no others. */
const TIME = new Date('2026-03-04T05:06:08Z')
const SCRIPTS = fileURLToPath(new URL('archive-readers/', import.meta.url))

/** Sizes around the blocks that files are stored in, and names that systems treat in ways of their own. */
const SIZES = [0, 1, 65_534, 65_535, 65_536, 131_069, 131_070, 131_071, 1_000_000]
const NAMES = {
  'Höhe 潮.csv': 'Höhe 潮.csv',
  'a/b/c.txt': 'a/b/c.txt',
  'a:b?"<c>|*.csv': 'a_b___c___.csv',
  '.env': 'env',
  '.git/config': 'git/config',
  'con/aux.txt': '_con/_aux.txt',
  '-rf *': '-rf _',
  "it's $(x) `y` 100%.csv": "it's $(x) `y` 100%.csv",
}

interface Source {
  wanted: string
  path: string
  content: Buffer
  /** Whether the storage tells the length. */
  isSized: boolean
}

/** Archives as programs of other systems read them: streams, files, and folders on disk. */
describe.each(['of few files', 'of thousands of files'])('an archive %s', { timeout: 120_000 }, (what) => {
  const sources = what === 'of few files' ? odd() : many()
  const folder = newFolder()
  const archive = join(folder, 'all.zip')
  const expected = sources.map(({ path, content }) => [path, String(content.length), sha256(content)])
  const seconds = String(TIME.getTime() / 1000)

  beforeAll(async () => {
    const files = sources.map(({ wanted }) => ({ type: 'url', publicName: wanted }) as StoredFile)
    const open = async (at: number): Promise<OpenedFile> => {
      const { content, isSized } = sources[at] as Source
      const headers = isSized ? { 'content-length': String(content.length) } : {}
      return { status: 200, headers, body: Readable.from(piecesOf(content)) }
    }
    const { body } = await openArchive({ files, open, modified: TIME, name: 'all.zip' })
    writeFileSync(archive, await buffer(body))
  })

  const run = (tool: string, options: string[], more: SpawnSyncOptions = {}) => {
    const { status, stderr, stdout } = spawnSync(program(tool) as string, options, {
      ...{ maxBuffer: 100_000_000, env: { ...process.env, LC_ALL: 'C.UTF-8' } },
      ...more,
    })
    expect([status, String(stderr)], tool).toEqual([0, ''])
    return String(stdout)
  }

  for (const [reader, tool, read] of [
    ["Java's ZipInputStream", 'java', (input: Buffer) => run('java', [`${SCRIPTS}ReadStream.java`], { input })],
    ["Perl's IO::Uncompress", 'perl', (input: Buffer) => run('perl', [`${SCRIPTS}read-stream.pl`], { input })],
    ["Python's zipfile", 'python3', () => run('python3', [`${SCRIPTS}read.py`, archive])],
  ] as const)
    it.skipIf(!program(tool))(`is read by ${reader}`, () => {
      const lines = read(readFileSync(archive)).trimEnd().split('\n')
      expect(lines.map((line) => line.split('\t'))).toEqual(expected.map((file) => [...file, seconds]))
    })

  for (const [tool, options] of Object.entries({
    unzip: (target: string) => ['-q', archive, '-d', target],
    '7z': (target: string) => ['x', '-bso0', archive, `-o${target}`],
  }))
    it.skipIf(!program(tool))(`is unpacked by ${tool}, with the times of the files`, () => {
      const target = join(folder, tool)
      mkdirSync(target)
      run(tool, options(target))
      const paths = readdirSync(target, { recursive: true, encoding: 'utf8' })
        .map((path) => ({ path, stat: statSync(join(target, path)) }))
        .filter(({ stat }) => stat.isFile())
      expect(new Set(paths.map(({ stat }) => stat.mtimeMs))).toEqual(new Set([TIME.getTime()]))
      const read = paths.map(({ path }) => [path, readFileSync(join(target, path))] as const)
      expect(read.map(([path, content]) => [path, String(content.length), sha256(content)]).toSorted()).toEqual(
        expected.toSorted(),
      )
    })
})

it('an archive with files beyond 4 GiB has the fields of 64 bits for them alone', () => {
  const stored = (size: number) => size + 5 * (Math.floor(size / 65_535) + 1)
  const small = (size: number) => 30 + 9 + 1 + stored(size) + 16
  const large = (size: number) => 30 + 9 + 1 + 20 + stored(size) + 24
  const entry = 46 + 9 + 1
  const [most, huge] = [4_294_000_000, 5_000_000_000]
  expect(zipLength([{ path: 'a', size: 3 }])).toBe(small(3) + entry + 22)
  expect(zipLength([{ path: 'a', size: most }])).toBe(small(most) + entry + 22)
  expect(zipLength([huge, 1].map((size) => ({ path: 'a', size })))).toBe(
    large(huge) + small(1) + (entry + 4 + 16) + (entry + 4 + 8) + 98,
  )
})

function odd(): Source[] {
  const sized = SIZES.flatMap((size) => [true, false].map((isSized) => ({ size, isSized, name: `${size} ${isSized}` })))
  const named = Object.keys(NAMES).map((name) => ({ size: 10, isSized: true, name }))
  return [...sized, ...named].map(({ name, size, isSized }) => {
    return { wanted: name, path: NAMES[name as keyof typeof NAMES] ?? name, content: randomBytes(size), isSized }
  })
}

function many(): Source[] {
  return Array.from({ length: 3_000 }, (_, at) => {
    const path = `${at % 7}/file ${at}.txt`
    return { wanted: path, path, content: Buffer.from(String(at)), isSized: at % 2 === 0 }
  })
}

/** Cuts a file into pieces that no block begins or ends with. */
function piecesOf(content: Buffer): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < content.length; at += 40_001) pieces.push(content.subarray(at, at + 40_001))
  return pieces
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
