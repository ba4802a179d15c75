import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, ask, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'

describe('the command route of Ocean Node', () => {
  let world: World
  let url: string
  beforeAll(async () => {
    world = await World.start()
    url = world.network.providerUrl
  })
  afterAll(() => world.close())
  const post = (path: string, body: object | string): Promise<Answer> =>
    ask(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })

  it('answers status with the fields that @oceanprotocol/lib reads', async () => {
    const { status, json } = await post('/directCommand', { command: 'status' })
    const { providerAddresses, version } = (await ask(`${url}/`)).json
    const chainId = String(world.network.chainId)
    expect(status).toBe(200)
    expect(json).toMatchObject({
      ...{ http: true, p2p: false, version, address: (providerAddresses as Record<string, string>)[chainId] },
      id: expect.stringMatching(/^16Uiu2HA[1-9A-HJ-NP-Za-km-z]{45}$/),
      publicKey: expect.stringMatching(/^0[23][0-9a-f]{64}$/),
      provider: [{ chainId, network: expect.any(String) }],
      indexer: [{ chainId, network: expect.any(String), block: expect.stringMatching(/^\d+$/) }],
      supportedStorage: expect.objectContaining({ url: true, arwave: expect.any(Boolean), ipfs: expect.any(Boolean) }),
      uptime: expect.any(Number),
    })
    expect(((await ask(`${url}/`)).json.serviceEndpoints as Record<string, unknown>).directCommand).toEqual([
      ...['POST', '/directCommand'],
    ])
  })

  it.each([
    ['another command', { command: 'downloadURL' }, 'must be status'],
    ['no command', {}, 'required'],
    ['a command that is no text', { command: { status: 1 } }, 'command'],
  ])('refuses %s, and names the field', async (_case, body, reason) => {
    const { status, json } = await post('/directCommand', body)
    expect(status).toBe(400)
    expect((json.errors as Record<string, string[]>).command?.join()).toContain(reason)
  })

  it('gives the id that a client signs for a token, which no other id and no other command replaces', async () => {
    const { id } = (await post('/directCommand', { command: 'status' })).json
    const wallet = await world.somebody()
    const create = async (suffix: string, command = 'createAuthToken') => {
      const nonce = freshNonce()
      const signature = await signText(wallet, `${wallet.address}${nonce}${command}${suffix}`)
      return post('/api/services/auth/token', { address: wallet.address, nonce, signature })
    }
    expect(await create(String(id))).toMatchObject({ status: 200, json: { token: expect.any(String) } })
    const others = [create('16Uiu2HAmHzBkRq62mG95vsjKMuYQBezZCtjPXYWUoyVxMxi71aB3'), create(String(id), 'download')]
    for (const refused of await Promise.all(others))
      expect(refused).toMatchObject({ status: 400, json: { errors: { signature: expect.anything() } } })
  })
})
