import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { savedInputs, saveInput } from '../stress/fuzz/lib/corpus.js'
import { decode, encode } from '../stress/fuzz/lib/encoding.js'
import { type Finding, type Round, runSupervised } from '../stress/fuzz/lib/supervise.js'
import { TARGETS } from '../stress/fuzz/lib/targets.js'
import { ROOT } from './helpers/built.js'
import { builtPrograms } from './helpers/programs.js'
import { sized } from './helpers/sizes.js'

const SEED = 20_261_122

/** Milliseconds of processor time for an input of the broken readers: one of them takes more. */
const LIMIT = 250

const BROKEN_READERS = 'test/broken-readers'
/** What runs in child processes, and the folder where it is built: it starts several times as fast as from source. */
const CHILD = 'stress/fuzz/lib/child.ts'
const sources = [...TARGETS.keys()].map((name) => `stress/fuzz/targets/${name}.ts`)
let programs: string | undefined
beforeAll(async () => {
  const broken = readdirSync(join(ROOT, BROKEN_READERS)).map((file) => `${BROKEN_READERS}/${file}`)
  const options = { splitting: true, outbase: ROOT, entryNames: '[dir]/[name]' }
  programs = await builtPrograms('fuzz', [CHILD, ...sources, ...broken], options)
})
const builtPath = (source: string) =>
  programs === undefined ? join(ROOT, source) : join(programs, source.replace(/\.ts$/, '.mjs'))
const run = (round: Omit<Round, 'targets' | 'child'>, targets: Iterable<[name: string, source: string]>) => {
  const modules = [...targets].map(([name, source]) => [name, pathToFileURL(builtPath(source)).href] as const)
  return runSupervised({ ...round, targets: new Map(modules), child: builtPath(CHILD) })
}

const told = (findings: Finding[]) =>
  findings.map(({ target, fault, seed, file, input }) => {
    const from = file ?? `seed ${seed}`
    return `${target} (${from}): ${fault.kind}: ${fault.what}\n  ${JSON.stringify(input).slice(0, 1000)}`
  })

describe('every parser of outside input', () => {
  it('handles a short round of generated input and the stored corpus, within a second and 64 MiB each', async () => {
    const { findings, inputs } = await run(
      { seed: SEED, runs: sized(16, 300) },
      [...TARGETS.keys()].map((name) => [name, `stress/fuzz/targets/${name}.ts`]),
    )
    expect(told(findings)).toEqual([])
    expect([...inputs.keys()].sort()).toEqual([...TARGETS.keys()])
    expect(Math.min(...inputs.values())).toBeGreaterThan(0)
  })
})

describe('the fuzzer', () => {
  const corpus = mkdtempSync(join(tmpdir(), 'tidegate-corpus-'))
  afterAll(() => rmSync(corpus, { recursive: true }))
  const round = async (names: string[], runs: number) => {
    const targets = names.map((name): [string, string] => [name, `${BROKEN_READERS}/${name.replace('-again', '')}.ts`])
    return (await run({ seed: 1, runs, corpus, limit: LIMIT }, targets)).findings
  }

  const BROKEN: [name: string, kind: string, what: RegExp][] = [
    ['hang', 'time', /nothing came of it/],
    ['slow', 'time', /took \d{3,} ms/],
    ['eater', 'memory', /took \d+ MiB/],
    ['glutton', 'end', /heap/i],
    ['crash', 'end', /TypeError/],
    ['throws', 'error', /TypeError: [\s\S]*broken-readers\/throws/],
    ['tells', 'secret', /url field/],
    ['answers', 'property', /the answer is small/],
  ]

  it('detects parsers that hang, are slow, use much memory, exit, throw, leak secrets or return wrong results, and no correct one', async () => {
    const findings = await round(['sound', ...BROKEN.map(([name]) => name), 'sound-again'], 25)
    for (const [name, kind, what] of BROKEN) {
      const [found] = findings.filter(({ target }) => target === name)
      expect(found?.fault.kind, name).toBe(kind)
      expect(found?.fault.what, name).toMatch(what)
    }
    expect(findings.filter(({ target }) => target.startsWith('sound'))).toEqual([])
  })

  it('detects parsers that use much memory even if its parent process has used more', async () => {
    expect(Buffer.alloc(512 * 1024 * 1024, 1).at(-1)).toBe(1)
    expect(await round(['eater'], 1)).toMatchObject([{ fault: { kind: 'memory' } }])
  })

  it('minimises its findings, and replays the stored corpus in every round', async () => {
    const [found] = await round(['throws'], 25)
    expect(decode(found?.input)).toEqual([7])
    saveInput('throws', 'found once', decode(found?.input), corpus)
    const [kept] = await round(['throws'], 0)
    expect(kept).toMatchObject({ file: expect.stringMatching(/\.json$/), fault: { kind: 'error' } })
  })

  it('stores any input unchanged', () => {
    const odd = JSON.parse('{"__proto__":{"a":1},"b":"\\ud800"}') as object
    const inputs = [undefined, 1n, Number.NaN, -0, Buffer.from([0, 255]), [odd, null, [undefined]], 'x'.repeat(100_000)]
    for (const input of inputs) expect(decode(JSON.parse(JSON.stringify(encode(input))))).toEqual(input)
    saveInput('odd', 'several', inputs, corpus)
    expect(savedInputs('odd', corpus)).toMatchObject([{ about: 'several', input: inputs }])
  })
})
