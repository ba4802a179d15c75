import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { loadSettings } from './load.js'
import { SETTINGS, type Setting } from './schema.js'
import { formatSettings } from './show.js'

const KEY = `0x${'11'.repeat(32)}`
const ACCOUNT = '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061'
const base = { NETWORK_URL: 'http://127.0.0.1:8545', PROVIDER_PRIVATE_KEY: KEY }
const folder = mkdtempSync(join(tmpdir(), 'tidegate-show-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Loads what `config` prints for an environment. */
function reloaded(environment: Record<string, string>) {
  const settings = loadSettings({ ...base, ...environment })
  const file = join(folder, 'settings.env')
  writeFileSync(file, formatSettings(settings).join('\n'))
  return { settings, again: loadSettings({ PROVIDER_PRIVATE_KEY: KEY }, file) }
}

const examples = Object.entries(SETTINGS as Record<string, Setting<unknown>>).flatMap(([name, { example, secret }]) =>
  example === undefined || secret || /…/.test(example) ? [] : [[name, example] as const],
)

it.each([
  ['nothing but what is required', {}],
  ['every example', Object.fromEntries(examples)],
  ['texts with spaces and quotes', { STATE_DIR: "/tmp/a folder/it's #1", OTEL_SERVICE_NAME: 'a "b" c' }],
  [
    'compute environments',
    {
      COMPUTE_ENVIRONMENTS: JSON.stringify([{ id: 'a b', consumerAddress: ACCOUNT, pricePerMinute: '7', chainId: 1 }]),
      PROVIDER_FEE_AMOUNT: '{"1":"100000000000000000000","137":"5"}',
      ORDER_CONFIRMATIONS: '{"1":2}',
      NETWORK_URL: '{"1":["http://a.example","http://b.example:81"],"137":"http://c.example"}',
    },
  ],
  ['kinds of storage that are off', { IPFS_GATEWAY: '', ARWEAVE_GATEWAY: '' }],
])('config prints lines that are read again as the same settings: %s', (_, environment) => {
  const { settings, again } = reloaded(environment)
  expect(again).toEqual(settings)
})
