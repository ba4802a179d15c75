import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { buildSync } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { differences, filesOf } from '../scripts/release/contents.js'
import { build, ROOT } from './helpers/built.js'
import { newFolder } from './helpers/cleanup.js'
import { prepared } from './helpers/prepared.js'
import { copySources } from './helpers/sources.js'

/** The script built, below the checkout: it finds that by its own place. */
const BUILT = 'scripts/release.mjs'

/** That of the sources, so that what is built of them can be compared with the build of this test run. */
const VERSION: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version
/** What may come before any version: the first of its pre-releases. */
const BEFORE = `${VERSION.replace(/-.*/, '')}-0`
const BUILDER = `Node ${process.versions.node}, npm ${execFileSync('npm', ['--version'], { encoding: 'utf8' }).trim()}`
const [SERVICE, LIBRARY] = [`tidegate-${VERSION}.tgz`, `tidegate-client-${VERSION}.tgz`]

const hasPrograms = ['git', 'tar'].every((program) => spawnSync(program, ['--version']).status === 0)
if (!hasPrograms) console.warn('SKIPPED: making a release. It needs git and tar.')
describe.skipIf(!hasPrograms)('npm run release', { timeout: 900_000 }, () => {
  const folder = newFolder()
  const checkout = join(folder, 'checkout')
  const out = join(folder, 'out')
  /** The requests to the registry: method, path and body of each. */
  const asked: { request: string; body: string }[] = []
  /** What the registry has, by path, and a path that it refuses to publish. */
  const published = new Map<string, unknown>()
  let refusing: string | undefined
  let registry: Server
  const git = (...args: string[]) => {
    const identity = ['-c', 'user.name=Tide', '-c', 'user.email=tide@example.org', '-c', 'commit.gpgsign=false']
    return execFileSync('git', [...identity, ...args], { cwd: checkout, encoding: 'utf8', stdio: 'pipe' }).trim()
  }
  const edit = (file: string, change: (text: string) => string) =>
    writeFileSync(join(checkout, file), change(readFileSync(join(checkout, file), 'utf8')))
  const commit = () => git('commit', '--quiet', '--all', '--message', 'x')
  const release = (...args: string[]) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const address = `127.0.0.1:${(registry.address() as AddressInfo).port}`
      const settings = { npm_config_registry: `http://${address}/`, [`npm_config_//${address}/:_authToken`]: 'x' }
      const env = { ...process.env, ...settings, npm_config_cache: join(folder, 'cache') }
      const done = (error: Error | null, out: string, err: string) =>
        resolve({ code: error ? Number((error as { code?: number }).code) : 0, out, err })
      execFile(process.execPath, [...program, ...args], { cwd: checkout, env }, done)
    })
  /** The arguments of node for the script: its source for the first run, then its build, which starts in a fraction of the time. */
  let program = [join(ROOT, 'node_modules', 'tsx', 'dist', 'cli.mjs'), 'scripts/release.ts']
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

  beforeAll(async () => {
    registry = createServer(async (request, response) => {
      let body = ''
      for await (const part of request.setEncoding('utf8')) body += part
      asked.push({ request: `${request.method} ${request.url}`, body })
      const { url = '', method } = request
      const isPut = method === 'PUT'
      const status = isPut ? (url === refusing ? 403 : 201) : published.has(url) ? 200 : 404
      if (status === 201) published.set(url, JSON.parse(body))
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify((!isPut && published.get(url)) || {}))
    })
    await new Promise<void>((listening) => registry.listen(0, '127.0.0.1', listening))
    mkdirSync(checkout)
    copySources(checkout)
    git('init', '--quiet', '--initial-branch', 'main')
    appendFileSync(join(checkout, '.git', 'info', 'exclude'), `node_modules\n${BUILT}\n`)
    git('add', '--all')
    commit()
    git('tag', `v${BEFORE}`)
    const changelog = `# Changelog\n\n## [Unreleased]\n\n## [${VERSION}] - 2026-02-03\n\n### Operators\n- New.\n`
    writeFileSync(join(checkout, 'CHANGELOG.md'), changelog)
    commit()
  })
  afterAll(() => new Promise((closed) => registry.close(closed)))

  it('is a dry run by default, which lists what would be published', async () => {
    const dry = await release('--out', out)
    expect(dry).toMatchObject({ code: 0, err: '' })
    const path = join(out, SERVICE)
    for (const line of [
      `tidegate ${VERSION}`,
      `after    v${BEFORE}`,
      git('rev-parse', 'HEAD'),
      'Dry run: nothing was published',
      `builder  ${BUILDER}`,
    ])
      expect(dry.out).toContain(line)
    const library = join(out, LIBRARY)
    for (const one of [path, library]) expect(dry.out).toContain(`sha256   ${sha256(readFileSync(one))}`)
    expect(asked).toEqual([])
    expect(git('status', '--porcelain')).toBe('')
    const { bin } = JSON.parse(execFileSync('tar', ['-xzOf', path, 'package/package.json'], { encoding: 'utf8' }))
    expect(bin).toEqual({ tidegate: 'bin/tidegate.js' })
    const time = Number(git('log', '-1', '--format=%ct')) * 1000
    const bills = [path, library].map((one) =>
      JSON.parse(execFileSync('tar', ['-xzOf', one, 'package/dist/sbom.cdx.json'], { encoding: 'utf8' })),
    )
    for (const { metadata } of bills)
      expect(metadata).toMatchObject({ timestamp: new Date(time).toISOString(), component: { version: VERSION } })
    expect(bills[1].metadata.component).toMatchObject({ group: '@tidegate', name: 'client', type: 'library' })
    expect(bills[1].components.map(({ name }: { name: string }) => name)).toContain('viem')
  })

  it('builds the same bytes as another folder, byte by byte, but for the time in its bill of materials', () => {
    const dist = unpacked(SERVICE)
    // the build of this test run: without a time, from another folder into another
    const elsewhere = prepared('build', 'dist') ?? dirname(build(join(folder, 'elsewhere')))
    const files = filesOf(dist)
    expect(files).toContain('console/index.html')
    expect(files.length).toBeGreaterThan(10)
    // what else a build leaves says what the page was made of, and is in no package
    expect(differences(dist, elsewhere)).toEqual(['sbom.cdx.json', 'console/.sources'])
    const bills = [dist, elsewhere].map((one) => JSON.parse(readFileSync(join(one, 'sbom.cdx.json'), 'utf8')))
    expect(bills[1].metadata.timestamp).not.toBe(bills[0].metadata.timestamp)
    expect(bills[1].serialNumber).not.toBe(bills[0].serialNumber)
    expect(bills[1].components).toEqual(bills[0].components)
  })

  /** Unpacks what a dry run has left. Answers the folder of the build in it. */
  function unpacked(archive: string): string {
    const to = mkdtempSync(join(folder, 'unpacked-'))
    execFileSync('tar', ['-xzf', join(out, archive), '-C', to])
    return join(to, 'package', 'dist')
  }

  /**
   * Has the builds of later releases copy what the dry run has built: to build four times more shows nothing more, nor to
   * pack the megabytes of the service, of which a program is left that tells its version.
   */
  function buildOnce(): void {
    const entryPoints = [join(checkout, 'scripts', 'release.ts')]
    buildSync({ entryPoints, outfile: join(checkout, BUILT), bundle: true, platform: 'node', format: 'esm' })
    program = [BUILT]
    // nor to check their sources out
    git(
      'rm',
      '--quiet',
      '-r',
      'bench',
      'test',
      'packages/*/src/*',
      'packages/*/test/*',
      ':!packages/client',
      ':!test/package.json',
    )
    for (const [script, archive, to] of [
      ['build', SERVICE, 'dist'],
      ['build-client', LIBRARY, 'packages/client/dist'],
    ] as const) {
      const dist = unpacked(archive)
      if (to === 'dist') {
        for (const file of readdirSync(dist)) if (/^(chunk|import)-/.test(file)) rmSync(join(dist, file))
        writeFileSync(join(dist, 'cli.js'), `console.log(${JSON.stringify(VERSION)})\n`)
      }
      const copy = [dist, to, { recursive: true }]
      const args = copy.map((argument) => JSON.stringify(argument)).join(', ')
      edit(`scripts/${script}.mjs`, () => `import { cpSync } from 'node:fs'\ncpSync(${args})\n`)
    }
    commit()
  }

  it('publishes exactly the packages that it checked, when given their version, and resumes where it was interrupted', async () => {
    buildOnce()
    refusing = '/tidegate'
    const refused = await release('--publish', VERSION)
    expect(refused.code).toBe(1)
    refusing = undefined
    const puts = () => asked.splice(0).filter(({ request }) => request.startsWith('PUT'))
    const [first, ...others] = puts()
    expect(first?.request, refused.err).toBe('PUT /@tidegate%2fclient')
    expect(others.map(({ request }) => request)).toEqual(['PUT /tidegate'])
    const told = await release('--publish', VERSION)
    expect(told).toMatchObject({ code: 0, err: '' })
    expect(told.out).toContain(`@tidegate/client@${VERSION} is already published with the same contents: skipped.`)
    // so that the same archive can be made again
    expect(told.out).toContain(`-m 'v${VERSION}, archived by ${BUILDER}'`)
    const second = puts()
    expect(second.map(({ request }) => request)).toEqual(['PUT /tidegate'])
    // those of both runs: they are packed into identical archives every time
    for (const { body } of [first as { body: string }, ...others, ...second]) {
      const { _attachments: attachments, 'dist-tags': tags } = JSON.parse(body)
      const [{ data }] = Object.values(attachments) as [{ data: string }]
      expect(told.out).toContain(`sha256   ${sha256(Buffer.from(data, 'base64'))}`)
      expect(tags).toEqual({ latest: VERSION })
    }
  })

  it('publishes nothing where the registry has the version with other contents', async () => {
    const document = structuredClone(published.get('/tidegate')) as { versions: Record<string, { dist: object }> }
    Object.assign(document.versions[VERSION]?.dist as object, { integrity: `sha512-${'A'.repeat(86)}==` })
    published.set('/tidegate', document)
    published.delete('/@tidegate%2fclient')
    const refused = await release('--publish', VERSION)
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining(`has tidegate@${VERSION} with other contents`),
    })
    expect(asked.splice(0).filter(({ request }) => request.startsWith('PUT'))).toEqual([])
  })

  it('publishes nothing when a check fails, and lists all failures', async () => {
    edit('package.json', (text) => text.replace(`"${VERSION}"`, '"99.9.9"').replace('"files": [', '"files": ["demo",'))
    edit('packages/client/package.json', (text) => text.replace('"files": [', '"files": ["src",'))
    edit('docs/legacy.md', (text) => `${text}\nnpm_${'a1'.repeat(18)}\n`)
    commit()
    edit('README.md', (text) => `${text}\n`)
    const refused = await release('--publish', VERSION)
    expect(refused.code).toBe(1)
    for (const reason of [
      'Nothing was published, because of:',
      'CHANGELOG.md has no section [99.9.9].',
      'has uncommitted changes',
      `package-lock.json says ${VERSION}, package.json 99.9.9.`,
      `packages/client/package.json says ${VERSION}, package.json 99.9.9.`,
      'src/index.ts may not be in the package.',
      `99.9.9 leaves out versions after ${BEFORE}`,
      `--publish ${VERSION} is not the version in package.json, 99.9.9.`,
      'demo/run.ts may not be in the package.',
      'docs/legacy.md holds what looks like a secret.',
    ])
      expect(refused.err).toContain(reason)
    expect(refused.err).not.toContain('a1a1')
    expect(asked).toEqual([])
  })

  it('rejects unknown arguments before it does anything', async () => {
    for (const args of [['--publish'], ['--force'], [VERSION]]) expect((await release(...args)).code).toBe(1)
    expect(asked).toEqual([])
  })
})
