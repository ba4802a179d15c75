import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { upgrade } from '../packages/database/src/schema.js'
import { ERROR_CATALOGUE } from '../packages/protocol/src/error-catalogue.js'
import { KNOWN_DEPLOYMENTS } from '../packages/protocol/src/networks.js'
import { HELD_ROWS } from '../packages/provider/src/accounts/held-rows.js'
import { SETTINGS, type Setting } from '../packages/provider/src/config/schema.js'
import { FRAMEWORK_ERRORS } from '../packages/provider/src/http/errors.js'
import { ALL_ENDPOINTS } from '../packages/provider/src/http/server.js'
import { STATE_SCHEMA } from '../packages/provider/src/state/schema.js'
import { allTables } from '../packages/provider/src/state/transfer/schema.js'
import { OBSTACLES } from '../packages/purchases/src/purchase.js'
import { STORAGE_TYPES } from '../packages/storage/src/kinds/registry.js'
import { GENERATED } from '../scripts/generated-docs.js'
import { anchorOf, page, pages, REPOSITORY } from './helpers/pages.js'
import { diagramProblems } from './mermaid.js'
import { allOptions, codeOf, commandProblems, commandTexts } from './page-commands.js'

const PAGES = pages()
/** Files that a worked example creates. */
const MADE = new Set(PAGES.flatMap(({ blocks }) => blocks.flatMap(({ file }) => file ?? [])))
const FOLDERS = ['packages', 'test', 'demo', 'bench', 'stress', 'scripts', 'deploy']
const FILES = FOLDERS.flatMap((folder) =>
  readdirSync(REPOSITORY + folder, { encoding: 'utf8', recursive: true }).map((file) => `/${folder}/${file}`),
)
/** What may be named as a path from the root of the repository. */
const PATH = new RegExp(`^(?:docs|${FOLDERS.join('|')})/`)

describe('generated documents', () => {
  it.each(Object.keys(GENERATED))('%s is up to date (npm run docs)', async (file) => {
    expect(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')).toBe(await GENERATED[file]?.())
  })
})

describe('the pages', () => {
  it('are all listed in the index, once', () => {
    const listed = [...page('docs/README.md').text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, file]) => file)
    const all = readdirSync(`${REPOSITORY}docs`, { encoding: 'utf8', recursive: true })
    const files = all.filter((file) => file.endsWith('.md') && !/(^|\/)README\.md$/.test(file))
    expect(listed.filter((file) => file?.endsWith('.md') && !file.startsWith('decisions/')).sort()).toEqual(
      files.filter((file) => !file.startsWith('decisions/')).sort(),
    )
  })

  it('has a decision for each file of docs/decisions, in the order of their dates', () => {
    const listed = [...page('docs/decisions/README.md').text.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, file]) => file)
    const files = readdirSync(`${REPOSITORY}docs/decisions`).filter((file) => file !== 'README.md')
    expect(listed).toEqual(files.sort())
  })

  it('show an arrow between packages where one depends on the other', () => {
    const [diagram = ''] = page('docs/architecture.md').blocks.map(({ text }) => text)
    const names = new Map([...diagram.matchAll(/(\w+)\["([^"]+)"\]/g)].map(([, id, name]) => [id, name as string]))
    const arrows = [...diagram.matchAll(/^ +(\w+)(?:\[.+?\])? --> (\w+)/gm)].map(([, from, to]) => [from, to])
    expect(arrows.length).toBeGreaterThan(10)
    expect([...names.values()].sort()).toEqual(readdirSync(`${REPOSITORY}packages`).sort())
    for (const [from, to] of arrows.map((arrow) => arrow.map((id) => names.get(id) as string))) {
      const manifest = JSON.parse(readFileSync(`${REPOSITORY}packages/${from}/package.json`, 'utf8'))
      expect(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })).toContain(`@tidegate/${to}`)
    }
  })

  it('lists every endpoint of the service once', () => {
    const [, table = ''] = /\n## Endpoints\n[\s\S]*?\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page('docs/api.md').text) ?? []
    const cells = table.split('\n').map((row) => row.split(' | ')[0] as string)
    // `GET`, `HEAD /path` are two endpoints of one path
    const listed = cells.flatMap((cell) => {
      const codes = codeOf(cell)
      return codes.map((code, at) =>
        code.includes(' ')
          ? code
          : `${code} ${
              codes
                .slice(at)
                .find((one) => one.includes(' '))
                ?.split(' ')[1]
            }`,
      )
    })
    const { paths } = JSON.parse(readFileSync(`${REPOSITORY}docs/openapi.json`, 'utf8')) as { paths: object }
    const served = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(listed.sort()).toEqual(served.sort())
  })

  it('say of every table how long it keeps what', () => {
    const codes = codeOf(page('docs/privacy.md').prose)
    const isNamed = (table: string) =>
      codes.some((code) => (code.endsWith('…') ? table.startsWith(code.slice(0, -1)) : table === code))
    const postgres = upgrade(STATE_SCHEMA, 'postgres').join()
    const created = [...postgres.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name as string)
    const tables = new Set([...created, ...allTables().map(({ name }) => name)])
    expect(tables.size).toBeGreaterThan(30)
    expect([...tables].filter((table) => !isNamed(table))).toEqual([])
  })

  it('know every table with an account as one that `tidegate consumer export` reads', () => {
    // contracts
    const others = ['index_datatoken', 'index_market']
    const withAccount = allTables().filter(({ columns }) =>
      columns.some((column) => /^(address|account|consumer|owner|payer|sender|hosted_by)$/.test(column)),
    )
    const exported = HELD_ROWS.map(({ name }) => name)
    expect(withAccount.map(({ name }) => name).filter((name) => ![...exported, ...others].includes(name))).toEqual([])
  })

  it('lists every chain whose contracts are built in', () => {
    const [, list = ''] = /\n## Chains\n\n(.+)/.exec(page('docs/concepts.md').text) ?? []
    const listed = [...list.matchAll(/([\w-]+) \((\d+)\)/g)].map(([, network, id]) => [network, Number(id)])
    expect(listed).toEqual(KNOWN_DEPLOYMENTS.map(({ network, chainId }) => [network, chainId]))
    expect(page('README.md').text).toContain('[Nineteen chains]')
    expect(KNOWN_DEPLOYMENTS).toHaveLength(19)
  })

  it('describes every kind of storage', () => {
    const { text, headings } = page('docs/storage.md')
    for (const type of STORAGE_TYPES) {
      expect(text).toContain(`\n| \`${type}\` |`)
      if (type !== 'url') expect(headings.join(' ')).toMatch(new RegExp(`\\b${type}\\b`))
    }
  })
})

describe.each(PAGES)('$path', ({ path, text, prose, blocks }) => {
  const plain = prose.replace(/`[^`\n]*`/g, '')
  const codes = codeOf(prose)
  const diagrams = blocks.filter(({ language }) => language === 'mermaid')

  it('has no broken links', () => {
    const broken = [...plain.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
      if (/^[a-z]+:/.test(link)) return link.startsWith('https://') ? [] : [`${link}: not https`]
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : normalize(join(dirname(path), file))
      if (!existsSync(REPOSITORY + target)) return [`${link}: no such file`]
      if (anchor === undefined) return []
      return page(target).headings.map(anchorOf).includes(anchor) ? [] : [`${link}: no such heading`]
    })
    expect(broken).toEqual([])
  })

  it('names existing files', () => {
    const inDiagrams = diagrams.flatMap((block) => block.text.match(/\b(?:packages|docs|test)\/[\w./-]+/g) ?? [])
    const named = [...codes, ...inDiagrams].filter((code) => /^[\w.-]+(\/[\w.-]*)+$|^[\w-]+\.(ts|mjs)$/.test(code))
    const wrong = named.filter((name) => {
      if (MADE.has(name) || /^(bench\/results|node_modules|dist|coverage|screenshots)\//.test(name)) return false
      if (PATH.test(name)) return !existsSync(REPOSITORY + name)
      return /\.(ts|mjs)$/.test(name) && !FILES.some((file) => file.endsWith(`/${name}`))
    })
    expect(wrong).toEqual([])
  })

  it('names existing scripts, commands and options', async () => {
    const problems = await Promise.all(commandTexts({ path, text, prose, blocks, headings: [] }).map(commandProblems))
    const options = await allOptions()
    const alone = codes
      .flatMap((code) => /^(--[a-z][a-z\d-]*)/.exec(code)?.[1] ?? [])
      .filter((option) => !options.has(option))
    expect([...problems.flat(), ...alone]).toEqual([])
  })

  it('names existing settings, variables and error codes', () => {
    const shell = blocks.filter(({ language }) => ['sh', 'mermaid'].includes(language)).map((block) => block.text)
    // a README of a package names what it exports
    const index = `${REPOSITORY}${path.replace('README.md', 'src/index.ts')}`
    const exported = index.endsWith('.ts') && existsSync(index) ? readFileSync(index, 'utf8') : ''
    const names = [...codes, ...shell].flatMap((code) => code.match(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]*(?:…|\*)?/g) ?? [])
    expect(names.filter((name) => !isKnown(name) && !new RegExp(`\\b${name}\\b`).test(exported))).toEqual([])
  })

  it('names existing endpoints', () => {
    const shell = blocks.filter(({ language }) => language === 'sh').map((block) => block.text)
    const called = shell.flatMap((code) =>
      [...code.matchAll(/\$PROVIDER(\/[^?"\s]*)/g)].map(([, route]) => route as string),
    )
    const named = codes.flatMap((code) => /^(?:GET|POST|DELETE|HEAD) (\/[^?\s]*)$/.exec(code)?.[1] ?? [])
    expect([...called, ...named].filter((route) => !ROUTES.some((known) => known.test(route)))).toEqual([])
  })

  it('has valid Mermaid diagrams', () => {
    expect(diagrams.flatMap((block) => diagramProblems(block.text))).toEqual([])
  })
})

/** Paths of the service; pages may write them with variables, or with a leading ellipsis. */
const ROUTES = [
  ...ALL_ENDPOINTS.map(({ path }) => path),
  '/spec',
  '/openapi.json',
  '/api/docs',
  '/metrics',
  '/console/',
].map((path) => new RegExp(`^${path.replace(/[:{]\w+\}?/g, '[^/]+')}$`))

/** Names that are neither settings nor error codes: variables of Node, of programs in this repository, of examples. */
const VARIABLES = [
  'MALLOC_ARENA_MAX',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ANVIL_BIN',
  'BENCH_MIB',
  'BENCH_PROFILE',
  'HOSTING_BENCH_MIB',
  'LARGE_FILES',
  'TIDEGATE_TEST_COSTS',
  'SLOW_NETWORK',
  'CHAIN_ID',
  'FILE_URL',
  'MAX_PRICE',
  'MAX_FEE',
  // of the commands for people
  'TIDEGATE_PROVIDER',
  'TIDEGATE_RPC',
  'TIDEGATE_PRIVATE_KEY',
  'TIDEGATE_PASSWORD_FILE',
  // of deploy/postgres-role.sql
  'TIDEGATE_PASSWORD',
  'XDG_CONFIG_HOME',
  'XDG_STATE_HOME',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  // codes of errors of the command line itself
  'NOT_CONFIRMED',
  'INDEX_FILE',
  // settings of the legacy service without a successor
  'REQUEST_RETRIES',
  'REDIS_CONNECTION',
  // of systemd
  'CREDENTIALS_DIRECTORY',
  // of `tidegate state copy`
  'COPY_FROM',
  'COPY_FROM_FILE',
  'COPY_TO',
  'COPY_TO_FILE',
  // of the convention for reproducible builds
  'SOURCE_DATE_EPOCH',
]

/** Variables that clients read from their environment, according to their own documentation. */
const OF_CLIENTS = [
  'NODE_URL',
  'PROVIDER_URL',
  'AQUARIUS_URL',
  'INDEXING_RETRY_INTERVAL',
  'AVOID_LOOP_RUN',
  'PRIVATE_KEY',
  'NEXT_PUBLIC_NODE_URL',
  'NEXT_PUBLIC_NODE_URI',
  'NEXT_PUBLIC_NODE_URI_INDEXED',
  'NEXT_PUBLIC_NODE_URI_MAP',
  'NEXT_PUBLIC_METADATACACHE_URI',
  'NEXT_PUBLIC_PROVIDER_URL',
  'NEXT_PUBLIC_SSI_ENABLED',
  'NEXT_PUBLIC_MARKET_DEVELOPMENT',
]

/** Error codes of the client library, which its source alone lists. */
const CLIENT_CODES = readdirSync(`${REPOSITORY}packages/client/src`, { encoding: 'utf8', recursive: true })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  .flatMap((file) => [
    ...readFileSync(`${REPOSITORY}packages/client/src/${file}`, 'utf8').matchAll(/'([A-Z]+(?:_[A-Z]+)+)'/g),
  ])
  .map(([, code]) => code as string)

function isKnown(name: string): boolean {
  const settings = Object.entries(SETTINGS as Record<string, Setting<unknown>>).flatMap(
    ([setting, { secret, legacy }]) => [setting, ...(secret ? [`${setting}_FILE`] : []), ...(legacy ? [legacy] : [])],
  )
  const codes = [...Object.keys(ERROR_CATALOGUE), ...Object.values(FRAMEWORK_ERRORS).map(([, code]) => code)]
  const known = [...settings, ...codes, ...VARIABLES, ...OF_CLIENTS, ...CLIENT_CODES, ...OBSTACLES]
  const prefix = /^(.+?)(?:…|\*)$/.exec(name)?.[1]
  return prefix ? known.some((one) => one.startsWith(prefix)) : known.includes(name)
}
