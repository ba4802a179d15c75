import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { LONGEST } from './helpers/sequencer.js'

const SRC = fileURLToPath(new URL('../src', import.meta.url))
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /\.ts$/.test(file))
/** Each file of src/ with the files that it imports, including type imports. */
const imports = new Map(files.map((file) => [file, importsOf(file)]))

function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8')
  return [...text.matchAll(/(?:from |import\()'(\.[^']+)\.js'/g)].map(([, path]) =>
    relative(SRC, resolve(SRC, dirname(file), `${path}.ts`)),
  )
}

/** The cycle of imports through `start`; undefined where there is none. */
function cycleOf(start: string, graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const seen = new Set<string>()
  const walk = (at: string, path: string[]): string[] | undefined => {
    for (const next of graph.get(at) ?? []) {
      if (next === start) return [...path, next]
      if (seen.has(next)) continue
      seen.add(next)
      const found = walk(next, [...path, next])
      if (found) return found
    }
    return undefined
  }
  return walk(start, [start])
}

function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  return [...graph.keys()].flatMap((start) => cycleOf(start, graph)?.join(' → ') ?? [])
}

/** Each folder of src/ with the others that its files import; a file beside the folders is one of its own. */
function folders(): Map<string, string[]> {
  const found = new Map<string, Set<string>>()
  const folderOf = (file: string) => file.split('/', 1)[0] as string
  for (const [file, imported] of imports) {
    const others = found.get(folderOf(file)) ?? new Set()
    for (const other of imported.map(folderOf)) if (other !== folderOf(file)) others.add(other)
    found.set(folderOf(file), others)
  }
  return new Map([...found].map(([folder, others]) => [folder, [...others]]))
}

/** Imports from files under one of `from` to files under one of `to`. */
function edges(from: RegExp, to: RegExp): string[] {
  return [...imports]
    .filter(([file]) => from.test(file))
    .flatMap(([file, imported]) => imported.filter((one) => to.test(one)).map((one) => `${file} imports ${one}`))
}

describe('the test files', () => {
  it('that are run first are there', () => {
    expect(LONGEST.filter((name) => !existsSync(join(SRC, '..', name)))).toEqual([])
  })

  const ROOT = join(SRC, '..')
  const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
  const below = (folder: string) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file}`)
      .filter((file) => /\.m?ts$|\.mjs$/.test(file) && !file.includes('node_modules'))
  const helpers = below('test/helpers')

  it('share what lies in test/helpers/, unless docs/testing.md describes it: what one file needs lies beside it', () => {
    const users = ['test', 'client/test', 'console/test', 'bench', 'stress', 'scripts'].flatMap(below)
    const using = new Map(helpers.map((helper) => [helper, new Set<string>()]))
    for (const user of users)
      for (const [, path = ''] of read(user).matchAll(/['"]([\w./-]+\.m?[jt]s)['"]/g))
        for (const from of [dirname(user), '.']) using.get(join(from, path.replace(/\.js$/, '.ts')))?.add(user)
    const [config, described] = [read('vitest.config.ts'), read('docs/testing.md')]
    const known = (helper: string) => config.includes(basename(helper, '.ts')) || described.includes(basename(helper))
    expect([...using].filter(([helper, { size }]) => size < 2 && !known(helper))).toEqual([])
  })

  it('are told by test/helpers/ what each of its exports is', () => {
    const exported = /^export (?:default |async |abstract )*(?:function|class|const|let|interface|type|enum) [\w*]/
    const silent = helpers.flatMap((file) => {
      // a directive for a linter may stand between
      const lines = read(file)
        .split('\n')
        .filter((line) => !line.startsWith('//'))
      return lines
        .filter((line, at) => exported.test(line) && !lines[at - 1]?.endsWith('*/'))
        .map((line) => `${file}: ${line}`)
    })
    expect(silent).toEqual([])
  })
})

describe('imports between the folders of src/', () => {
  it('form no cycle, from file to file and from folder to folder', () => {
    expect(files.length).toBeGreaterThan(200)
    expect(cyclesIn(imports)).toEqual([])
    expect(folders().size).toBeGreaterThan(30)
    expect(cyclesIn(folders())).toEqual([])
  })

  it.each([
    ['nothing below http/ knows HTTP', /^(?!http\/|app\/|app\.ts)/, /^http\//],
    ['ddo/ knows no chain, no database and no network', /^ddo\//, /^(?!ddo\/|crypto\/)[^/]+\//],
    ['the sandbox does not know what runs in it', /^sandbox\//, /^(?!sandbox\/|process\/)[^/]+\//],
    ['storage/ knows no chain', /^storage\//, /^chain\//],
    ['the process knows nothing of what runs in it', /^process\//, /^(?!process\/|config\/)[^/]+\//],
    ['orders/ does not know how an asset was found', /^orders\//, /^assets\//],
    ['the service never imports the local network', /^(?!dev\/|cli\/dev\.ts|cli\/people\/)/, /^dev\//],
    ['the service does not import the exported test suites', /^(?!testing\/)/, /^testing\//],
    ['only the entry point imports commands', /^(?!cli\/)/, /^cli\//],
    ['storage kinds connect through egress/ only', /^storage\/kinds\//, /^outbound\//],
  ])('%s', (_, from, to) => {
    expect(edges(from, to)).toEqual([])
  })
})

describe('the client library', () => {
  const CLIENT = fileURLToPath(new URL('../client/src', import.meta.url))
  const own = readdirSync(CLIENT, { recursive: true, encoding: 'utf8' }).filter((file) => /\.ts$/.test(file))
  const named = own.flatMap((file) =>
    [...readFileSync(join(CLIENT, file), 'utf8').matchAll(/(?:from |import\()'([^']+)'/g)].map(
      ([, name]) => [file, name as string] as const,
    ),
  )

  it('imports nothing of src/, and no package but viem', () => {
    const leaving = named.filter(([file, name]) => {
      if (name.startsWith('.')) return relative(CLIENT, resolve(CLIENT, dirname(file), name)).startsWith('..')
      return !/^viem(\/|$)/.test(name) && !(name.startsWith('node:') && file.startsWith('node/'))
    })
    expect(named.length).toBeGreaterThan(100)
    expect(leaving).toEqual([])
  })
})
