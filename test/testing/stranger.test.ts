import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { build, ROOT } from '../helpers/built.js'
import { prepared } from '../helpers/prepared.js'

const run = promisify(execFile)

/** A third-party state store: a wrapper around another one, with `nonces` replaced. */
const STORE = (nonces: string) => `
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type NonceStore, openReferenceStore, type StateStore, stateStoreSuite } from 'tidegate/testing'

function openOwn(folder: string): StateStore {
  const inner = openReferenceStore(folder)
  const nonces: NonceStore = ${nonces}
  return Object.create(inner, { nonces: { value: nonces } }) as StateStore
}

stateStoreSuite('my own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stranger-'))
  return { open: async () => openOwn(folder), destroy: async () => rmSync(folder, { recursive: true }) }
})
`

/** A storage with files in memory; \`end\` is where a range ends. */
const STORAGE = (end: string) => `
import { Readable } from 'node:stream'
import { type Parsed, type Storage, StorageError, storageSuite } from 'tidegate/testing'

type Shelf = { type: 'shelf'; book: string; page: number; copy?: string }
const CONTENT = Buffer.from('once upon a tide')

function find({ book }: Shelf): Buffer {
  if (book !== 'tides') throw new StorageError('STORAGE_REFUSED', 'The storage does not have the file.')
  return CONTENT
}

function problem({ book, page, copy }: Partial<Shelf>): string | undefined {
  if (typeof book !== 'string') return 'book'
  if (typeof page !== 'number') return 'page'
  return copy === undefined || typeof copy === 'string' ? undefined : 'copy'
}

const shelf: Storage<Shelf> = {
  type: 'shelf',
  schema: {
    safeParse(value): Parsed<Shelf> {
      const field = problem(value as Partial<Shelf>)
      if (field === undefined) return { success: true, data: value as Shelf }
      return { success: false, error: { issues: [{ path: [field], message: 'must be of another type' }] } }
    },
  },
  async describe(file) {
    return file.book === 'tides' ? { valid: true, contentLength: CONTENT.length } : { valid: false }
  },
  async open(file, { method, headers }) {
    const content = find(file)
    const [, from, to] = /^bytes=(\\d+)-(\\d*)$/.exec(headers.range ?? '') ?? []
    if (from === undefined)
      return { status: 200, headers: {}, body: Readable.from(method === 'HEAD' ? [] : [content]) }
    if (Number(from) >= content.length) return { status: 416, headers: {}, body: Readable.from([]) }
    const last = to ? Number(to) : content.length - 1
    const part = content.subarray(Number(from), ${end})
    return {
      status: 206,
      headers: { 'content-range': \`bytes \${from}-\${last}/\${content.length}\` },
      body: Readable.from([part]),
    }
  },
}

storageSuite('shelf', async () => ({
  storage: shelf as Storage,
  content: CONTENT,
  file: { book: 'tides', page: 1 },
  missing: { book: 'none', page: 1 },
  bad: [
    [{ book: 5 }, 'book'],
    [{ page: 'one' }, 'page'],
    [{ copy: 2 }, 'copy'],
  ],
  ranges: true,
  close: async () => undefined,
}))
`

/** A project that installs the package and implements its own storage and database. */
describe('the exported test suites (tidegate/testing) in another project', () => {
  const project = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  const node = (...args: string[]) =>
    run(process.execPath, args, { cwd: project, timeout: 500_000, killSignal: 'SIGKILL' }).then(
      ({ stdout }) => ({ failed: false, said: stdout }),
      ({ stdout, stderr }: { stdout: string; stderr: string }) => ({ failed: true, said: stdout + stderr }),
    )
  /** Runs files of tests, and answers whether that failed, and the outcomes of each file. */
  const suites = async (...files: string[]) => {
    const vitest = join(project, 'node_modules/vitest/vitest.mjs')
    const { failed, said } = await node(vitest, 'run', ...files, '--reporter=json')
    const { testResults } = JSON.parse(said.slice(said.indexOf('{'))) as {
      testResults: { name: string; message: string; assertionResults: { title: string; status: string }[] }[]
    }
    const outcomes = files.map((file) => {
      const { assertionResults = [], message } = testResults.find(({ name }) => basename(name) === file) ?? {}
      const titles = (wanted: string) =>
        assertionResults.filter(({ status }) => status === wanted).map(({ title }) => title)
      // a file that fails to load has no tests, but a message
      if (assertionResults.length === 0) throw new Error(`${file} has no tests: ${message}`)
      return { passed: titles('passed').length, failed: titles('failed') }
    })
    return { ended: failed, outcomes }
  }

  beforeAll(() => {
    // the installed package, with only its own dependencies and vitest beside it
    const installed = join(project, 'node_modules', 'tidegate')
    mkdirSync(installed, { recursive: true })
    const made = prepared('build', 'dist')
    if (made) cpSync(made, join(installed, 'dist'), { recursive: true })
    else build(installed)
    cpSync(join(ROOT, 'package.json'), join(installed, 'package.json'))
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object }
    for (const name of ['vitest', '@types/node', ...Object.keys(dependencies)])
      link(join(ROOT, 'node_modules', name), join(project, 'node_modules', name))
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'stranger', type: 'module' }))
    const sources = {
      'store.test.ts': STORE('inner.nonces'),
      'forgetful.test.ts': STORE(
        '{ last: (...of) => inner.nonces.last(...of), mayPass: async () => true, consume: async () => true }',
      ),
      'shelf.test.ts': STORAGE('last + 1'),
      'short.test.ts': STORAGE('last'),
    }
    for (const [file, text] of Object.entries(sources)) writeFileSync(join(project, file), text)
  })
  afterAll(() => rmSync(project, { recursive: true }))

  it('pass for a correct state store and a correct storage', async () => {
    expect(await suites('store.test.ts', 'shelf.test.ts')).toEqual({
      ended: false,
      outcomes: [
        { passed: expect.any(Number), failed: [] },
        { passed: 6, failed: [] },
      ],
    })
  })

  it('fail in the right tests for a state store that accepts every nonce, and a storage with truncated ranges', async () => {
    const { ended, outcomes } = await suites('forgetful.test.ts', 'short.test.ts')
    expect(ended).toBe(true)
    const [forgetful, short] = outcomes
    expect(forgetful?.failed).toContain(
      'accepts a nonce only if it is greater than the last one of its address, even after a restart',
    )
    expect(short).toEqual({
      passed: 5,
      failed: ['delivers a range, or the whole file if it does not support ranges'],
    })
  })

  it('have types that do not need the bundled libraries', async () => {
    const options = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node']
    const sources = readdirSync(project).filter((file) => file.endsWith('.ts'))
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    expect(await node(tsc, ...options, ...sources)).toEqual({ failed: false, said: '' })
  })
})

/** Creates a symbolic link and its folder. */
function link(target: string, path: string): void {
  mkdirSync(join(path, '..'), { recursive: true })
  symlinkSync(target, path)
}
