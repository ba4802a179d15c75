import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTidegate } from '@tidegate/client'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { SSI } from '../../../../test/helpers/policy-asset.js'
import { PolicyServerHere, VALID } from '../../../../test/helpers/policy-server.js'
import { askJson } from '../../../../test/helpers/requests.js'
import { StorageServer } from '../../../../test/helpers/storage-server.js'
import { Terminal } from '../../../../test/helpers/terminal.js'
import { LIMITS } from '../../../client/src/limits.js'
import { walletOf } from '../../../client/test/world.js'
import { clientWithSessions, withKeptSessions } from '../../src/people/agent/credentials.js'
import { Purchases } from '../../src/people/agent/purchases.js'
import { Spending } from '../../src/people/agent/spending.js'
import type { Session } from '../../src/people/session.js'
import { useScripts } from './scripts.js'

const KEY = 'key of the policy server'

describe('credentials that a publisher asks for', () => {
  const environment: NodeJS.ProcessEnv = { HOSTING: 'off' }
  let server: PolicyServerHere
  let did: string
  const polling = LIMITS.policies as { poll: number }
  const { poll } = polling
  beforeAll(async () => {
    server = new PolicyServerHere(await StorageServer.start(), KEY)
    Object.assign(environment, { POLICY_SERVER_URL: server.url, POLICY_SERVER_API_KEY: KEY })
    polling.poll = 20
  })
  const scripts = useScripts(environment)
  const { at, run, answer, refusal } = scripts
  beforeAll(async () => {
    const adjust = (ddo: object) => void Object.assign(ddo, { credentials: { allow: [SSI] } })
    const { world } = scripts
    did = (await world.publishUrl(world.storage.file('/a.csv', Buffer.from('tide')), { adjust })).did
  })
  afterEach(() => {
    Terminal.endAll()
    vi.unstubAllEnvs()
  })
  afterAll(() => {
    polling.poll = poll
  })

  const started = () => server.of('initiate').length
  /** What the wallet of the person does as soon as a session is waited for. */
  async function walletPresents(vp_token = VALID) {
    const before = server.of('checkSessionId').length
    const asked = () => server.of('checkSessionId').slice(before).at(-1)
    await eventually(() => asked() !== undefined)
    await askJson(`${scripts.world.network.providerUrl}/api/services/PolicyServerPassthrough`, {
      policyServerPassthrough: { action: 'presentationRequest', sessionId: asked()?.sessionId, vp_token },
    })
  }
  const sessions = () => join(at('state'), 'tidegate', 'sessions')
  const keptFiles = () => (existsSync(sessions()) ? readdirSync(sessions()) : []).map((name) => join(sessions(), name))
  const kept = () =>
    keptFiles()
      .map((path) => readFileSync(path, 'utf8'))
      .join('')

  it('are named by show and quote, which start nothing', async () => {
    const shown = await run(['show', did])
    expect(shown.stdout).toContain('everybody who presents credentials')
    const quoted = await run(['quote', did, '--account', '2'])
    expect(quoted.stdout).toMatch(/Credentials +are asked for: `tidegate get`/)
    expect(await answer('quote', did, '--account', '2')).toMatchObject({ presents: true })
    expect(started()).toBe(0)
  })

  it('are presented once, before the purchase, for get, buy and link', async () => {
    const get = (name: string) => ['get', did, '-o', at(name), '--account', '2', '--yes', '--json']
    const [first] = await Promise.all([run(get('a.csv')), walletPresents()])
    expect(first.status, first.stderr).toBe(0)
    expect(first.stderr).toMatch(/^openid4vp:\S+$/m)
    expect(first.stderr).not.toMatch(/[▀▄█]/)
    // asked before the price
    expect(first.stderr).toMatch(/are accepted[\s\S]+Price[\s\S]+Order 0x/)
    expect(JSON.parse(first.stdout)).toMatchObject({ bought: true })
    expect(readFileSync(at('a.csv'), 'utf8')).toBe('tide')
    expect(keptFiles().map((path) => statSync(path).mode & 0o777)).toEqual([0o600])

    expect((await run(get('b.csv'))).status).toBe(0)
    expect(await answer('buy', did, '--account', '2')).toMatchObject({ reused: true })
    const { url } = await answer('link', did, '--account', '2')
    expect(await (await fetch(url)).text()).toBe('tide')
    expect(started()).toBe(1)
    // it is a session of this account
    const other = await run(['quote', did, '--account', '2', '--consumer', (await scripts.world.somebody()).address])
    expect(other.stdout).toContain('Credentials')
  })

  it('are asked for again when the policy server refuses the kept session', async () => {
    const [path] = keptFiles() as [string]
    const spoil = () => writeFileSync(path, readFileSync(path, 'utf8').replace(/"session":"[^"]+"/, '"session":"gone"'))
    const before = started()
    spoil()
    const link = ['link', did, '--all', '--account', '2', '--json']
    const [linked] = await Promise.all([run(link), walletPresents()])
    expect(linked.status, linked.stderr).toBe(0)
    expect(JSON.parse(linked.stdout).links).toHaveLength(1)
    spoil()
    const [got] = await Promise.all([
      run(['get', did, '-o', at('c.csv'), '--account', '2', '--json']),
      walletPresents(),
    ])
    expect(got.status, got.stderr).toBe(0)
    expect([started() - before, kept().includes('gone')]).toEqual([2, false])
  })

  it('end the command with the reason, before anything is paid, if they are refused', async () => {
    const buy = ['buy', did, '--account', '3', '--yes']
    const [refused] = await Promise.all([refusal(buy), walletPresents('eyJ.other')])
    expect(refused).toMatchObject({ status: 1, error: { code: 'POLICY_DENIED' } })
    expect(refused.error.message).toMatch(/not accepted.*Repeat the command/)
    expect(await answer('orders', '--account', '3')).toMatchObject({ orders: [] })
    expect(keptFiles()).toHaveLength(1)
    // signed payments are not taken for such a service: nobody presents in vain
    const before = started()
    expect((await refusal([...buy, '--pay-with', 'USDC'])).error.code).toBe('NOT_OFFERED')
    expect(started()).toBe(before)
  })

  it('draw a QR code on a terminal, and ctrl-C ends the wait', async () => {
    const terminal = Terminal.run(['buy', did, '--account', '3'], scripts.settings(), at(''))
    await terminal.shows(/openid4vp:[\s\S]+Or scan it[\s\S]+[▀▄█]{3}[\s\S]+Waiting/)
    terminal.type('\u0003')
    expect(await terminal.ended()).toBe(130)
    expect(terminal.text).toContain('Repeat the command: it asks for them again.')
  })

  it('are for the user of an agent to present, whose session the agent then uses', async () => {
    vi.stubEnv('XDG_STATE_HOME', at('state'))
    const { world } = scripts
    const { providerUrl: provider, rpcUrl: rpc, accounts } = world.network
    const account = accounts[4]?.address as `0x${string}`
    const wallet = walletOf(world, accounts[4]?.privateKey as string)
    const session = { client: createTidegate({ url: provider, wallet }), address: account, where: { provider, rpc } }
    const client = clientWithSessions(session.client, withKeptSessions(session as unknown as Session))
    const spending = new Spending([], [])
    const purchases = new Purchases({
      server: {} as never,
      client,
      account,
      spending,
      yes: true,
      acceptTerms: undefined,
    })
    const bought = () => purchases.buy({ did }, new AbortController().signal)
    await expect(bought()).rejects.toMatchObject({
      code: 'POLICY_DENIED',
      message: expect.stringContaining(`tidegate buy ${did}`),
    })
    const [left] = await Promise.all([refusal(['buy', did, '--account', '4']), walletPresents()])
    expect(left).toMatchObject({ status: 3, error: { code: 'NOT_CONFIRMED' } })
    expect(await bought()).toMatchObject({ did, reused: false })
    expect((await client.link(did)).url).toMatch(/^http/)
  })
})
