import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { owned } from '../../../../test/helpers/children.js'
import { program } from '../../../../test/helpers/command.js'
import { preparedState } from '../../../../test/helpers/dev.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { startHere } from '../../../../test/helpers/service-here.js'
import { World } from '../../../../test/helpers/world.js'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-quiet-'))
afterAll(() => rmSync(folder, { recursive: true }))

const STRANGER = `0x${'33'.repeat(32)}`

it('the service logs nothing about assets of other providers', async () => {
  const world = await World.start()
  onTestFinished(() => world.close())
  await world.publishUrl('http://127.0.0.1:1/file')
  const environment = world.beside({ STATE_DIR: join(folder, 'other'), PROVIDER_PRIVATE_KEY: STRANGER })
  const other = await startHere(environment)
  onTestFinished(() => other.end())
  await eventually(async () => (await fetch(`${other.url}/ready`)).status === 200)
  expect(other.said.map(({ msg }) => msg)).not.toContainEqual(expect.stringContaining('asset'))
})

it('the service starts on a dozen chains without a warning of Node', async () => {
  const chains = Array.from({ length: 12 }, (_, at) => 700_000 + at)
  const addresses = join(folder, 'address.json')
  const entries = chains.map((chainId) => [chainId, { chainId, ERC721Factory: `0x${'12'.repeat(20)}`, startBlock: 1 }])
  writeFileSync(addresses, JSON.stringify(Object.fromEntries(entries)))
  const warnings: string[] = []
  const note = ({ name }: Error) => warnings.push(name)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  const service = await startHere({
    NETWORK_URL: JSON.stringify(Object.fromEntries(chains.map((id) => [id, 'http://127.0.0.1:1']))),
    ADDRESS_FILE: addresses,
    PROVIDER_PRIVATE_KEY: STRANGER,
    STATE_DIR: join(folder, 'dozen'),
    LOG_LEVEL: 'silent',
  })
  await setImmediate()
  // each chain is now between two searches for its factory
  await eventually(async () => (await fetch(`${service.url}/ready`)).status === 503)
  await service.end()
  expect(warnings).toEqual([])
})

it('tidegate dev warns in text for people, not in JSON', async () => {
  const dev = [...program(), 'dev', '--json', '--port', '0', '--rpc-port', '0', ...preparedState()]
  // too few open files for the settings: the service warns at once
  const script = `ulimit -n 400; exec "$@"`
  const child = spawn('sh', ['-c', script, 'sh', process.execPath, ...dev], { stdio: ['ignore', 'pipe', 'pipe'] })
  const { stdout, stderr } = owned(child) as typeof child
  const errors = text(stderr)
  await once(createInterface({ input: stdout }), 'line')
  child.kill('SIGTERM')
  expect(await errors).toMatch(/^\[[\d:.]+\] WARN: fewer files may be open/)
})
