import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { build, ROOT } from '../helpers/built.js'
import { prepared } from '../helpers/prepared.js'

const run = promisify(execFile)

/** A third-party state store: a wrapper around another one, with `nonces` and `search` replaced. */
const STORE = (nonces: string, search: string) => `
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Found, type NonceStore, openReferenceStore, type SearchStore, type StateStore, stateStoreSuite } from 'tidegate/testing'

function openOwn(folder: string): StateStore {
  const inner = openReferenceStore(folder)
  const nonces: NonceStore = ${nonces}
  const search: SearchStore = ${search}
  return Object.create(inner, { nonces: { value: nonces }, search: { value: search } }) as StateStore
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
  /** Outcomes of the tests of each file, which run at once, and what was said beside them. */
  let outcomes: Record<string, { passed: number; failed: string[] }>
  let said: string

  async function runAll(files: string[]): Promise<void> {
    const vitest = join(project, 'node_modules/vitest/vitest.mjs')
    const args = [vitest, 'run', ...files, '--reporter=json', '--outputFile=outcomes.json']
    const { code, stdout, stderr } = await run(process.execPath, args, {
      cwd: project,
      timeout: 500_000,
      killSignal: 'SIGKILL',
    }).then(
      (ended) => ({ ...ended, code: 0 }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    )
    said = stdout + stderr
    // some of them are to fail
    expect(code, said).toBe(1)
    const { testResults } = JSON.parse(readFileSync(join(project, 'outcomes.json'), 'utf8')) as {
      testResults: { name: string; message: string; assertionResults: { title: string; status: string }[] }[]
    }
    const outcomeOf = (file: string) => {
      const { assertionResults = [], message } = testResults.find(({ name }) => basename(name) === file) ?? {}
      const titles = (wanted: string) =>
        assertionResults.filter(({ status }) => status === wanted).map(({ title }) => title)
      // a file that fails to load has no tests, but a message
      if (assertionResults.length === 0) throw new Error(`${file} has no tests: ${message}`)
      return { passed: titles('passed').length, failed: titles('failed') }
    }
    outcomes = Object.fromEntries(files.map((file) => [file, outcomeOf(file)]))
  }

  beforeAll(async () => {
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
      'store.test.ts': STORE('inner.nonces', 'inner.search'),
      'forgetful.test.ts': STORE(
        '{ last: (...of) => inner.nonces.last(...of), mayPass: async () => true, consume: async () => true }',
        `{
          find: async (search, scope): Promise<Found> => ({ ...(await inner.search.find(search, { ...scope, encrypted: true })) }),
          assets: (...of) => inner.search.assets(...of),
          document: (...of) => inner.search.document(...of),
          buildSome: () => inner.search.buildSome(),
          mergeSome: async () => false,
        }`,
      ),
      'shelf.test.ts': STORAGE('last + 1'),
      'short.test.ts': STORAGE('last'),
    }
    for (const [file, text] of Object.entries(sources)) writeFileSync(join(project, file), text)
    await runAll(Object.keys(sources))
  })
  afterAll(() => rmSync(project, { recursive: true }))

  it('pass for a correct state store and a correct storage', () => {
    expect(outcomes['store.test.ts']).toEqual({ passed: expect.any(Number), failed: [] })
    expect(outcomes['shelf.test.ts']).toEqual({ passed: 6, failed: [] })
    // an error outside of any test
    expect(said).not.toMatch(/unhandled/i)
  })

  it('fail in the right tests for a state store that accepts every nonce and finds encrypted documents out of scope, and a storage with truncated ranges', () => {
    const { failed } = outcomes['forgetful.test.ts'] ?? {}
    expect(failed).toContain(
      'accepts a nonce only if it is greater than the last one of its address, even after a restart',
    )
    expect(failed?.filter((title) => title.startsWith('finds'))).toEqual([
      'finds encrypted documents only where they are in scope',
    ])
    expect(outcomes['short.test.ts']).toEqual({
      passed: 5,
      failed: ['delivers a range, or the whole file if it does not support ranges'],
    })
  })

  it('have types that do not need the bundled libraries', () => {
    const paths = readdirSync(project).filter((file) => file.endsWith('.ts'))
    const { ES2023: target } = ts.ScriptTarget
    const { NodeNext: module } = ts.ModuleKind
    const options = {
      noEmit: true,
      strict: true,
      target,
      module,
      types: ['node'],
      typeRoots: [join(project, 'node_modules/@types')],
    }
    const program = ts.createProgram(
      paths.map((file) => join(project, file)),
      options,
    )
    // what the types of Node and of vitest say to each other is not ours, and takes most of the time
    const isOwn = (path: string) => dirname(path) === project || path.includes('/node_modules/tidegate/')
    const own = program.getSourceFiles().filter(({ fileName }) => isOwn(fileName))
    const found = own.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ])
    const all = [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(), ...found]
    expect(all.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([])
    expect(own.map(({ fileName }) => basename(fileName))).toEqual(expect.arrayContaining([...paths, 'index.d.ts']))
  })
})

/** Creates a symbolic link and its folder. */
function link(target: string, path: string): void {
  mkdirSync(join(path, '..'), { recursive: true })
  symlinkSync(target, path)
}
