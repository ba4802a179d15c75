import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { build } from 'esbuild'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../../test/helpers/built.js'
import { prepared } from '../../../test/helpers/prepared.js'

/** Most compressed bytes of the whole library in a page, without viem and the parts that load on demand. */
const SIZE = 56_400

const folder = mkdtempSync(join(tmpdir(), 'tidegate-client-package-'))
const client = join(folder, 'client')

beforeAll(() => {
  cpSync(prepared('checkout', 'packages', 'client', 'dist') as string, join(client, 'dist'), { recursive: true })
  for (const name of ['package.json', 'README.md', 'LICENSE'])
    cpSync(join(ROOT, 'packages', 'client', name), join(client, name))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Bundles a program that imports the built package: the code that a page loads at first. */
async function bundled(program: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program.replace('@tidegate/client', './dist/index.js'), resolveDir: client },
    bundle: true,
    splitting: true,
    outdir: client,
    entryNames: 'page',
    minify: true,
    format: 'esm',
    platform: 'browser',
    external: ['viem', 'viem/*'],
    write: false,
  })
  const pages = outputFiles.filter(({ path }) => path === join(client, 'page.js'))
  expect(pages).toHaveLength(1)
  // a part that loads at once would count as well
  expect(pages[0]?.text).not.toMatch(/(?:from|import) ?"\.\//)
  return pages[0]?.text ?? ''
}

const packed = () =>
  execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: client,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })

describe('the package of the client', () => {
  it('has the files and the form that tools expect', async () => {
    const [{ filename, files }] = JSON.parse(packed())
    const names = files.map(({ path }: { path: string }) => path)
    expect(names).toEqual(
      expect.arrayContaining(['README.md', 'LICENSE', 'dist/index.js', 'dist/node.js', 'dist/types/index.d.ts']),
    )
    expect(names.filter((name: string) => !/^(README\.md|LICENSE|package\.json|dist\/.+)$/.test(name))).toEqual([])
    expect((await publint({ pkgDir: client, strict: true })).messages).toEqual([])
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(join(folder, filename))))
    const problems = 'problems' in analysis ? analysis.problems : [{ kind: 'NoTypes' }]
    // tools without `exports` find no /node, and CommonJS loads modules only by import()
    const known = new Set(['NoResolution', 'CJSResolvesToESM'])
    const unexpected = problems.filter(({ kind, ...where }) => {
      const resolution = 'resolutionKind' in where ? where.resolutionKind : ''
      return !(known.has(kind) && /^(node10|node16-cjs)$/.test(String(resolution)))
    })
    expect(unexpected).toEqual([])
  })

  it('imports only viem, and no Node modules in the part for browsers', () => {
    const imports = (file: string) =>
      [...readFileSync(join(client, 'dist', file), 'utf8').matchAll(/(?<![."])(?:from|import) ?"([^"]+)"/g)].map(
        ([, name]) => name as string,
      )
    for (const file of ['index.js', 'chunk.js'])
      expect(imports(file).filter((name) => !/^(viem(\/|$)|\.\/)/.test(name))).toEqual([])
    expect(imports('node.js').filter((name) => !/^(viem(\/|$)|\.\/|node:)/.test(name))).toEqual([])
  })

  it('is small', async () => {
    const whole = await bundled("export * from '@tidegate/client'")
    expect(gzipSync(whole).length).toBeLessThan(SIZE)
  })

  it('leaves out unused calls', async () => {
    const whole = await bundled("export * from '@tidegate/client'")
    const found = await bundled(
      "import { createContext, createToken } from '@tidegate/client'; export { createContext, createToken }",
    )
    expect(found.length).toBeLessThan(whole.length / 3)
    // of the chain, of downloads and of publishing
    for (const left of ['OrderStarted', 'content-range', 'aquarius', 'createNft']) {
      expect(whole).toContain(left)
      expect(found).not.toContain(left)
    }
  })
})
