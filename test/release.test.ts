import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from './helpers/built.js'
import { copySources } from './helpers/sources.js'

/** The script built, below the checkout: it finds that by its own place. */
const BUILT = 'scripts/release.mjs'

const hasPrograms = ['git', 'tar'].every((program) => spawnSync(program, ['--version']).status === 0)
if (!hasPrograms) console.warn('SKIPPED: making a release. It needs git and tar.')
describe.skipIf(!hasPrograms)('npm run release', { timeout: 900_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
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
    git('tag', 'v0.1.0')
    const changelog = '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n\n### Operators\n- New.\n'
    writeFileSync(join(checkout, 'CHANGELOG.md'), changelog)
    edit('package.json', (text) => text.replace(/"version": "[^"]+"/, '"version": "0.2.0"'))
    edit('client/package.json', (text) => text.replace(/"version": "[^"]+"/, '"version": "0.2.0"'))
    edit('package-lock.json', (text) => {
      const lock = JSON.parse(text)
      for (const name of ['', 'client']) lock.packages[name].version = '0.2.0'
      return JSON.stringify({ ...lock, version: '0.2.0' })
    })
    commit()
  })
  afterAll(async () => {
    await new Promise((closed) => registry.close(closed))
    rmSync(folder, { recursive: true })
  })

  it('is a dry run by default, which lists what would be published', async () => {
    const dry = await release('--out', out)
    expect(dry).toMatchObject({ code: 0, err: '' })
    const path = join(out, 'tidegate-0.2.0.tgz')
    for (const line of [
      'tidegate 0.2.0',
      'after    v0.1.0',
      git('rev-parse', 'HEAD'),
      'Dry run: nothing was published',
    ])
      expect(dry.out).toContain(line)
    const library = join(out, 'tidegate-client-0.2.0.tgz')
    for (const one of [path, library]) expect(dry.out).toContain(`sha256   ${sha256(readFileSync(one))}`)
    expect(asked).toEqual([])
    expect(git('status', '--porcelain')).toBe('')
    const { bin } = JSON.parse(execFileSync('tar', ['-xzOf', path, 'package/package.json'], { encoding: 'utf8' }))
    expect(bin).toEqual({ tidegate: 'dist/cli.js' })
    const time = Number(git('log', '-1', '--format=%ct')) * 1000
    const bills = [path, library].map((one) =>
      JSON.parse(execFileSync('tar', ['-xzOf', one, 'package/dist/sbom.cdx.json'], { encoding: 'utf8' })),
    )
    for (const { metadata } of bills)
      expect(metadata).toMatchObject({ timestamp: new Date(time).toISOString(), component: { version: '0.2.0' } })
    expect(bills[1].metadata.component).toMatchObject({ group: '@tidegate', name: 'client', type: 'library' })
    expect(bills[1].components.map(({ name }: { name: string }) => name)).toContain('viem')
    buildOnce()
  })

  /**
   * Has the builds of later releases copy what the dry run has built: to build four times more shows nothing more, nor to
   * pack the megabytes of the service, of which a program is left that tells its version.
   */
  function buildOnce(): void {
    const entryPoints = [join(checkout, 'scripts', 'release.ts')]
    buildSync({ entryPoints, outfile: join(checkout, BUILT), bundle: true, platform: 'node', format: 'esm' })
    program = [BUILT]
    // nor to check their sources out
    git('rm', '--quiet', '-r', 'src', 'bench', 'test', 'console/src', 'console/test', ':!test/package.json')
    for (const [script, archive, to] of [
      ['build', 'tidegate-0.2.0.tgz', 'dist'],
      ['build-client', 'tidegate-client-0.2.0.tgz', 'client/dist'],
    ] as const) {
      const unpacked = join(folder, script)
      mkdirSync(unpacked)
      execFileSync('tar', ['-xzf', join(out, archive), '-C', unpacked])
      const dist = join(unpacked, 'package', 'dist')
      if (to === 'dist') {
        for (const file of readdirSync(dist)) if (/^(chunk|import)-/.test(file)) rmSync(join(dist, file))
        writeFileSync(join(dist, 'cli.js'), "console.log('0.2.0')\n")
      }
      const copy = [dist, to, { recursive: true }]
      const args = copy.map((argument) => JSON.stringify(argument)).join(', ')
      edit(`scripts/${script}.mjs`, () => `import { cpSync } from 'node:fs'\ncpSync(${args})\n`)
    }
    commit()
  }

  it('publishes exactly the packages that it checked, when given their version, and resumes where it was interrupted', async () => {
    refusing = '/tidegate'
    const refused = await release('--publish', '0.2.0')
    expect(refused.code).toBe(1)
    refusing = undefined
    const puts = () => asked.splice(0).filter(({ request }) => request.startsWith('PUT'))
    const [first, ...others] = puts()
    expect(first?.request).toBe('PUT /@tidegate%2fclient')
    expect(others.map(({ request }) => request)).toEqual(['PUT /tidegate'])
    const told = await release('--publish', '0.2.0')
    expect(told).toMatchObject({ code: 0, err: '' })
    expect(told.out).toContain('@tidegate/client@0.2.0 is already published with the same contents: skipped.')
    const second = puts()
    expect(second.map(({ request }) => request)).toEqual(['PUT /tidegate'])
    for (const { body } of [first as { body: string }, ...second]) {
      const { _attachments: attachments, 'dist-tags': tags } = JSON.parse(body)
      const [{ data }] = Object.values(attachments) as [{ data: string }]
      expect(told.out).toContain(`sha256   ${sha256(Buffer.from(data, 'base64'))}`)
      expect(tags).toEqual({ latest: '0.2.0' })
    }
  })

  it('publishes nothing where the registry has the version with other contents', async () => {
    const document = structuredClone(published.get('/tidegate')) as { versions: Record<string, { dist: object }> }
    Object.assign(document.versions['0.2.0']?.dist as object, { integrity: `sha512-${'A'.repeat(86)}==` })
    published.set('/tidegate', document)
    published.delete('/@tidegate%2fclient')
    const refused = await release('--publish', '0.2.0')
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('has tidegate@0.2.0 with other contents') })
    expect(asked.splice(0).filter(({ request }) => request.startsWith('PUT'))).toEqual([])
  })

  it('publishes nothing when a check fails, and lists all failures', async () => {
    edit('package.json', (text) => text.replace('"0.2.0"', '"0.4.0"').replace('"files": [', '"files": ["demo",'))
    edit('client/package.json', (text) => text.replace('"files": [', '"files": ["src",'))
    edit('docs/legacy.md', (text) => `${text}\nnpm_${'a1'.repeat(18)}\n`)
    commit()
    edit('README.md', (text) => `${text}\n`)
    const refused = await release('--publish', '0.2.0')
    expect(refused.code).toBe(1)
    for (const reason of [
      'Nothing was published, because of:',
      'CHANGELOG.md has no section [0.4.0].',
      'has uncommitted changes',
      'package-lock.json says 0.2.0, package.json 0.4.0.',
      'client/package.json says 0.2.0, package.json 0.4.0.',
      'src/index.ts may not be in the package.',
      '0.4.0 leaves out versions after 0.1.0',
      '--publish 0.2.0 is not the version in package.json, 0.4.0.',
      'demo/run.ts may not be in the package.',
      'docs/legacy.md holds what looks like a secret.',
    ])
      expect(refused.err).toContain(reason)
    expect(refused.err).not.toContain('a1a1')
    expect(asked).toEqual([])
  })

  it('rejects unknown arguments before it does anything', async () => {
    for (const args of [['--publish'], ['--force'], ['0.2.0']]) expect((await release(...args)).code).toBe(1)
    expect(asked).toEqual([])
  })
})
