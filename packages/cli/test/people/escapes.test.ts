import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { runHere } from '../../../../test/helpers/command-here.js'
import { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { type Home, makeHome, Terminal } from '../../../../test/helpers/terminal.js'
import { tokenOf, upload } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'

/** A window title, a cleared screen, a bell, a link, C1, backspaces, marks of direction, and characters without a width. */
const HOSTILE =
  'x\u001b]0;owned\u0007\u001b[2J\u001b]8;;https://evil.example\u001b\\\u009b2J\u0090\b\b\r\u202e\u2066\u200b\u3164\u034f\u{e0041}\u2028y'
const RAW = [
  '\u001b]',
  '\u001b[2J',
  '\u001b\\',
  '\u0007',
  '\u009b',
  '\u0090',
  '\b',
  '\u202e',
  '\u2066',
  '\u200b',
  '\u3164',
]
const UNSEEN = /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
const CONTENT = Buffer.from(`hour,height\n1\t${HOSTILE}\r\n`.repeat(20))

/** Strings that a command needs as they are: ids, addresses, numbers and URLs of the service. */
const FACT = /^(0x[0-9a-fA-F]*|did:op:\w+|[\d.]+|https?:\/\/127\.[^ ]*|access|url|text\/csv|[\d\-T:.Z]{20,})$/
const KEPT = new Set([
  'id',
  'type',
  'token',
  'method',
  'version',
  '@context',
  'mirrors',
  'verified',
  'state',
  'created',
])

/** A JSON value with hostile texts, and with a hostile key in every object. */
function spoiled(value: unknown): unknown {
  if (typeof value === 'string') return FACT.test(value) ? value : `${value}${HOSTILE}`
  if (Array.isArray(value)) return value.map(spoiled)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).map(([key, one]) => [key, KEPT.has(key) ? one : spoiled(one)])
  return { ...Object.fromEntries(entries), [HOSTILE]: HOSTILE }
}

describe('a terminal', () => {
  let world: World
  let home: Home
  let node: RpcProxy
  let server: Server
  /** Whether the provider refuses all requests. */
  let refuses = false
  let environment: Record<string, string>
  let did: string
  beforeAll(async () => {
    world = await World.start({ HOSTING_QUOTA: '1000000' })
    home = makeHome()
    node = await RpcProxy.before(world.network.rpcUrl)
    server = createServer(async (request, response) => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part)
      if (refuses)
        return void response
          .writeHead(400, 'no\u009b2J', { 'content-type': 'application/json', 'x-request-id': '\u009b2J' })
          .end(JSON.stringify({ error: HOSTILE, code: HOSTILE, [HOSTILE]: HOSTILE }))
      const { method = 'GET', url = '', headers } = request
      const { 'content-length': _, 'accept-encoding': __, connection: ___, ...sent } = headers
      const answer = await fetch(new URL(url, world.network.providerUrl), {
        method,
        headers: sent as Record<string, string>,
        ...(parts.length > 0 ? { body: Buffer.concat(parts) } : {}),
      })
      const bytes = Buffer.from(await answer.arrayBuffer())
      const isJson = answer.headers.get('content-type')?.includes('json')
      const kept: Record<string, string> = {}
      answer.headers.forEach((value, name) => {
        if (!/^(content-length|content-encoding|connection|transfer-)/.test(name)) kept[name] = value
      })
      response.writeHead(answer.status, kept)
      response.end(isJson ? JSON.stringify(spoiled(JSON.parse(bytes.toString()))) : bytes)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const provider = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    environment = { ...home.environment, TIDEGATE_PROVIDER: provider, TIDEGATE_RPC: node.url }
    const asset = await world.publishUrl(world.storage.file('/tides.csv', CONTENT), {
      adjust: (ddo) => {
        const { metadata, services } = ddo as unknown as { metadata: object; services: object[] }
        const texts = {
          name: HOSTILE + 'x'.repeat(10_000),
          author: HOSTILE,
          license: HOSTILE,
          description: `${HOSTILE}\r\n${HOSTILE}`,
        }
        Object.assign(metadata, { ...texts, tags: [HOSTILE], links: { [HOSTILE]: HOSTILE } })
        Object.assign(services[0] as object, { name: HOSTILE, description: HOSTILE })
      },
    })
    did = asset.did
  })
  afterEach(() => {
    refuses = false
    node.refuse = () => undefined
    return Terminal.endAll()
  })
  afterAll(async () => {
    server.close()
    await world.close()
    home.remove()
  })

  const COMMANDS = (): string[][] => [
    ['search', 'x'],
    ['show', did],
    ['quote', did],
    ['buy', did, '--account', '3', '--yes'],
    ['get', did, '-o', join(home.folder, 'tides.csv'), '--account', '3', '--yes', '--force'],
    ['link', did, '--account', '3'],
    ['orders', '--account', '3'],
    ['receipt', `0x${'1'.repeat(64)}`],
    ['assets', '--account', '1'],
    ['sales', did],
    ['sales', did, '--csv'],
    ['update', did, '--name', 'Tides', '--account', '1', '--yes'],
    ['revoke', did, '--account', '1', '--yes'],
    ['restore', did, '--account', '1', '--yes'],
    ['list', 'create', 'buyers', '--account', '1', '--yes'],
    ['token', 'create', '--account', '1'],
    ['publish', world.storage.file('/other.csv', CONTENT), '--name', 'Other', '--free', '--account', '1', '--yes'],
    ['use', environment.TIDEGATE_PROVIDER as string],
  ]

  it.each([
    ['a provider and an asset that speak escape sequences', () => undefined],
    [
      'a provider that refuses in them',
      () => {
        refuses = true
      },
    ],
    [
      'a node that fails in them',
      () => {
        node.refuse = (method) =>
          method === 'eth_chainId' ? undefined : { code: 3, message: HOSTILE, data: { [HOSTILE]: HOSTILE } }
      },
    ],
  ])('gets only visible characters of %s (threat 134)', async (_, spoil) => {
    spoil()
    let hostile = 0
    for (const args of COMMANDS())
      for (const more of [[], ['--json']]) {
        if (args.includes('--csv') && more.length > 0) continue
        const { stdout, stderr } = await runHere([...args, ...more], environment)
        expect(stdout + stderr, args.join(' ')).not.toMatch(UNSEEN)
        if (/owned/.test(stdout + stderr)) hostile += 1
        if (['show', 'search'].includes(args[0] as string) && more.length === 0)
          expect(stdout.length).toBeLessThan(6_000)
        if (more.length > 0) expect(() => JSON.parse(stdout), `${args.join(' ')}: ${stdout}`).not.toThrow()
      }
    expect(hostile).toBeGreaterThan(0)
  })

  it('gets the same as JSON, with the texts unchanged (threat 134)', async () => {
    const { stdout } = await runHere(['show', did, '--json'], environment)
    expect(stdout).not.toMatch(UNSEEN)
    expect(stdout).toContain('\\u200b')
    expect(JSON.parse(stdout).name).toContain('\u200b')
  })

  it('gets questions, progress and files without them (threat 134)', async () => {
    const terminal = (...args: string[]) => Terminal.run(args, environment, home.folder)
    const asked = terminal('get', did, '-o', 'asked.csv', '--account', '4')
    await asked.shows(/Order it\?/)
    asked.type('y')
    expect(await asked.ended(), asked.text).toBe(0)
    const shown = terminal('get', did, '-o', '-', '--account', '4')
    expect(await shown.ended(), shown.text).toBe(0)
    expect(shown.text).toMatch(/hour,height\n1\tx\ufffd/)
    for (const { output } of [asked, shown]) for (const raw of RAW) expect(output, raw).not.toContain(raw)
  })

  it('of an operator gets no names of uploads and no errors of nodes with them (threat 134)', async () => {
    const { providerUrl, accounts, rpcUrl } = world.network
    const publisher = { privateKey: accounts[5]?.privateKey as string }
    const headers = await tokenOf(providerUrl, publisher)
    await upload(providerUrl, CONTENT, headers, { metadata: { filename: `${HOSTILE}.csv`, filetype: 'text/csv' } })
    const stateDir = world.local.app.context.settings.STATE_DIR
    for (const more of [[], ['--json']]) {
      const { stdout, stderr } = await runHere(['files', 'list', ...more], { ...world.beside(), STATE_DIR: stateDir })
      expect(stdout, stderr).toContain('owned')
      expect(stdout + stderr).not.toMatch(UNSEEN)
    }
    node.refuse = () => ({ code: 3, message: HOSTILE })
    const settings = world.beside({
      NETWORK_URL: JSON.stringify({ [world.network.chainId]: [node.url, rpcUrl] }),
      STATE_DIR: join(home.folder, 'state'),
    })
    const { stdout, stderr } = await runHere(['doctor'], settings)
    expect(stdout).toMatch(/^FAIL/m)
    expect(stdout + stderr).not.toMatch(UNSEEN)
  })
})
