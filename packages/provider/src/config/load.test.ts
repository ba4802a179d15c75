import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ConfigError, loadSettings } from './load.js'
import { SETTINGS } from './schema.js'

const KEY = `0x${'11'.repeat(32)}`
const base = { NETWORK_URL: 'http://127.0.0.1:8545', PROVIDER_PRIVATE_KEY: KEY }

function problems(environment: Record<string, string>, file?: string): string[] {
  try {
    loadSettings(environment, file)
    return []
  } catch (error) {
    return (error as ConfigError).problems
  }
}

/** Compute environments of these ids, as JSON. */
const environments = (...ids: string[]) =>
  JSON.stringify(ids.map((id) => ({ id, consumerAddress: '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061' })))

const SECRET = 's'.repeat(32)

describe('settings', () => {
  it('have defaults, except for chain and key', () => {
    const settings = loadSettings(base)
    expect(settings).toMatchObject({ PORT: 8030, HOST: '0.0.0.0', ALLOW_NON_PUBLIC_IP: false, EXPOSE_FILENAME: false })
    expect(settings.PROVIDER_PRIVATE_KEY.all?.address).toMatch(/^0x/)
  })

  it('refuse by name what cannot work together', () => {
    const node = 'https://rpc.example.org/'
    const consoleOf = (url: string) => ({ CONSOLE_RPC_URLS: JSON.stringify({ 1: url }) })
    const refused: [Record<string, string>, string][] = [
      [{ METRICS_PORT: '8030' }, 'METRICS_PORT: must not be PORT'],
      [{ METRICS_PORT: '9000', PORT: '9000', HOST: '127.0.0.1' }, 'METRICS_PORT: must not be PORT'],
      [{ RPC_AGREEMENT: '2' }, 'RPC_AGREEMENT: 2 nodes cannot agree, since NETWORK_URL names 1 for the chain'],
      [{ RPC_AGREEMENT: '2', NETWORK_URL: `${node},${node}` }, 'NETWORK_URL names 1 for the chain'],
      [{ RPC_AGREEMENT: '2', NETWORK_URL: `{"1":["http://a","http://b"],"5":"${node}"}` }, 'names 1 for chain 5'],
      [consoleOf(`${node}v3/0123456789abcdef0123456789abcdef`), 'CONSOLE_RPC_URLS: for chain 1 holds a key'],
      [consoleOf(`${node}v2/aB3-dE6_gH9jK2mN5pQ8sT1v`), 'CONSOLE_RPC_URLS: for chain 1 holds a key'],
      [{ WEBHOOK_URL: node }, 'WEBHOOK_SECRET: is required with WEBHOOK_URL.'],
      [{ WEBHOOK_SECRET: SECRET }, 'WEBHOOK_URL: is required with WEBHOOK_SECRET.'],
      [{ WEBHOOK_URL: node, WEBHOOK_SECRET: 'short' }, 'WEBHOOK_SECRET: must have at least 32 characters.'],
      [{ WEBHOOK_URL: node, WEBHOOK_SECRET: `${SECRET},` }, 'WEBHOOK_SECRET: must have at least 32 characters.'],
      [{ WEBHOOK_URL: node, WEBHOOK_SECRET: [SECRET, SECRET, SECRET].join() }, 'WEBHOOK_SECRET: must be one secret'],
      [consoleOf(`${node}?apikey=1`), 'CONSOLE_RPC_URLS: for chain 1 holds a key'],
    ]
    for (const [changed, line] of refused)
      expect(problems({ ...base, ...changed })).toEqual([expect.stringContaining(line)])
    for (const name of ['STATE_DIR', 'HOSTING_DIR', 'STORAGE_CACHE_DIR'])
      expect(problems({ ...base, [name]: '/proc/x' })).toEqual([`${name}: must not be below /proc.`])
    const fine = [
      { METRICS_PORT: '8030', HOST: '192.0.2.1' },
      { METRICS_PORT: '0', PORT: '0' },
      { RPC_AGREEMENT: '2', NETWORK_URL: 'http://a,http://b' },
      consoleOf(`${node}ethereum-sepolia-public/rpc`),
      { WEBHOOK_URL: node, WEBHOOK_SECRET: `${SECRET}, ${SECRET}2` },
    ]
    for (const changed of fine) expect(problems({ ...base, ...changed })).toEqual([])
  })

  it('take one value for all chains, or one per chain', () => {
    const settings = loadSettings({
      ...base,
      NETWORK_URL: '{"1":"http://a","137":"http://b"}',
      PROVIDER_FEE_AMOUNT: '{"1":5}',
    })
    expect([...settings.NETWORK_URL.byChain.keys()]).toEqual([1, 137])
    expect(settings.PROVIDER_FEE_AMOUNT?.byChain.get(1)).toBe(5n)
  })

  it('are all reported at once when wrong, one line each, without quoting secrets', () => {
    const found = problems({
      PROVIDER_PRIVATE_KEY: '0xnotakey',
      NETWORK_URL: 'ws://user:hunter2@host',
      PORT: '99999',
      LOG_LEVEL: 'loud',
      ALLOW_NON_PUBLIC_IP: 'maybe',
      PROVIDER_FEE_TOKEN: '{"1":"0x12"}',
      INDEX_START_BLOCK: '{"x":1}',
      ORDER_CONFIRMATIONS: '{',
    })
    expect(found.map((line) => line.split(':')[0])).toEqual(
      [
        'NETWORK_URL',
        'PROVIDER_PRIVATE_KEY',
        'PORT',
        'LOG_LEVEL',
        'INDEX_START_BLOCK',
        'ORDER_CONFIRMATIONS',
        'PROVIDER_FEE_TOKEN',
        'ALLOW_NON_PUBLIC_IP',
      ].sort((a, b) => Object.keys(SETTINGS).indexOf(a) - Object.keys(SETTINGS).indexOf(b)),
    )
    expect(found.join()).not.toMatch(/notakey|hunter2/)
  })

  it.each([
    ['ALLOW_NON_PUBLIC_IP', 'no', false],
    ['ALLOW_NON_PUBLIC_IP', 'On', true],
    ['TRUSTED_PROXIES', '10.0.0.1, 2001:db8::/32', ['10.0.0.1', '2001:db8::/32']],
    ['STORAGE_DENIED_HOSTS', 'Files.example, *.intern.example', ['files.example', '*.intern.example']],
  ])('are parsed: %s=%s', (name, text, value) => {
    expect(loadSettings({ ...base, [name]: text })).toMatchObject({ [name]: value })
  })

  it.each([
    ['ALLOW_NON_PUBLIC_IP', 'hunter2', 'must be true or false'],
    ['PROVIDER_FEE_AMOUNT', `${2n ** 256n}`, 'must be a whole number below 2^256'],
    ['PROVIDER_FEE_AMOUNT', '-1', 'must be a whole number below 2^256'],
    ['TRUSTED_PROXIES', '10.0.0.1,hunter2', 'must hold IP addresses or networks alone'],
    ['TRUSTED_PROXIES', '127.1', 'must hold IP addresses or networks alone'],
    ['TRUSTED_PROXIES', '10.0.0.0/8/8', 'must hold IP addresses or networks alone'],
    ['TRUSTED_PROXIES', '0.0.0.0/0', 'must not hold a network of all addresses (/0): name your proxies'],
    ['TRUSTED_PROXIES', '10.0.0.1,::/00', 'must not hold a network of all addresses (/0): name your proxies'],
    ['STORAGE_DENIED_HOSTS', 'https://hunter2', 'must hold host names alone'],
    ['DATABASE_URL', 'mysql://tide:hunter2@host', 'must be a postgres:// URL'],
    ['AUTH_TOKEN_SECRET', 'hunter2', 'must have at least 32 characters'],
    ['COMPUTE_ENVIRONMENTS', '{}', 'must be a JSON list'],
    ['COMPUTE_ENVIRONMENTS', '[{"id":""}]', 'must have an id in every entry'],
    ['COMPUTE_ENVIRONMENTS', '[null]', 'must have an id in every entry'],
    ['COMPUTE_ENVIRONMENTS', '[{"id":"a","chainId":"1"}]', 'has a chainId that is not a number in a'],
    ['COMPUTE_ENVIRONMENTS', environments('a', 'a'), 'must not use an id twice'],
  ])('are rejected with the reason, without quoting the value: %s=%s', (name, text, reason) => {
    const found = problems({ ...base, [name]: text })
    expect(found.join()).toContain(`${name}: ${reason}`)
    expect(found.join()).not.toContain('hunter2')
  })

  it.each([
    ['PROVIDER_PRIVATE_KY', 'PROVIDER_PRIVATE_KEY'],
    ['NETWORK_URLS', 'NETWORK_URL'],
    ['ALLOW_NON_PUBLIC_IPS', 'ALLOW_NON_PUBLIC_IP'],
  ])('suggest for the unknown name %s: %s', (wrong, right) => {
    expect(problems({ ...base, [wrong]: 'x' })).toEqual([`${wrong}: no such setting. Did you mean ${right}?`])
  })

  it('ignore variables of other programs', () => {
    expect(problems({ ...base, HOME: '/root', PATH: '/bin', HOSTS: 'a', SUPPORT: 'b', NETWORK: 'c' })).toEqual([])
  })

  it('may come from a file, where unknown names are errors, and the environment takes precedence', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    const file = join(folder, 'settings.env')
    writeFileSync(file, `PROVIDER_PRIVATE_KEY=${KEY}\nNETWORK_URL=http://file\nPORT=1\n`)
    expect(loadSettings({ PORT: '2' }, file)).toMatchObject({ PORT: 2 })
    // a comment whose line does not end
    writeFileSync(file, `PORT=3\n# TERMS_URL=https://a.example`)
    expect(loadSettings(base, file)).toMatchObject({ PORT: 3, TERMS_URL: undefined })
    writeFileSync(file, `NONSENSE=1\n`)
    expect(problems(base, file)).toEqual([`Line 1 of ${file}: no such setting.`])
    expect(problems(base, join(folder, 'missing'))).toEqual([expect.stringContaining('cannot be read: ENOENT')])
    rmSync(folder, { recursive: true })
  })

  it.each([
    ['a line without =', `PORT=1\n${KEY}\nLOG_LEVEL=info\n`, 'Line 2 of FILE: is not of the form NAME=value.'],
    ['a line without = at the end', `TAG="a\nb"\n# keys\n\n${KEY}`, 'Line 5 of FILE: is not of the form NAME=value.'],
    ['the value in the place of the name', `# keys\n  export ${KEY}==\n`, 'Line 2 of FILE: no such setting.'],
    [
      'a misspelt name',
      `PORT=1\nPROVIDER_PRIVATE_KY=${KEY}\n`,
      'Line 2 of FILE: no such setting. Did you mean PROVIDER_PRIVATE_KEY?',
    ],
    [
      'the key as a chain id',
      `PROVIDER_PRIVATE_KEY={"${KEY}":1}\n`,
      'PROVIDER_PRIVATE_KEY: has a key that is not a chain id.',
    ],
    [
      'the key as a path',
      `PROVIDER_PRIVATE_KEY_FILE=${KEY}\n`,
      'PROVIDER_PRIVATE_KEY_FILE: the file that it names cannot be read: ENOENT.',
    ],
  ])('are rejected without quoting the value: %s (threat 65)', (_name, content, problem) => {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    const file = join(folder, 'settings.env')
    writeFileSync(file, content)
    const found = problems({ NETWORK_URL: base.NETWORK_URL }, file).map((line) => line.replace(file, 'FILE'))
    rmSync(folder, { recursive: true })
    expect(found).toContain(problem)
    expect(found.join('\n')).not.toContain('1111')
  })
})
