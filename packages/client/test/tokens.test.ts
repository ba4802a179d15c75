import { createTidegate } from '@tidegate/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, signText } from '../../../test/helpers/requests.js'
import { World } from '../../../test/helpers/world.js'
import { walletFor } from './world.js'

let world: World

beforeAll(async () => {
  world = await World.start()
})
afterAll(() => world?.close())

const client = async () => {
  const somebody = await world.somebody()
  return createTidegate({ url: `${world.network.providerUrl}/`, wallet: walletFor(world, somebody) })
}

describe('auth tokens', () => {
  it('are created and deleted by a signature', async () => {
    const tidegate = await client()
    const { token, expires } = await tidegate.createToken({ lifetime: 600 })
    expect(token.split('.')).toHaveLength(3)
    expect(expires.getTime() - Date.now()).toBeGreaterThan(500_000)
    await tidegate.deleteToken(token)
    await expect(tidegate.deleteToken(token)).rejects.toMatchObject({ code: 'TOKEN_DELETED', status: 400 })
  })

  it('are created by concurrent requests, whichever nonce comes first', async () => {
    const tidegate = await client()
    const made = await Promise.all(Array.from({ length: 6 }, () => tidegate.createToken()))
    expect(new Set(made.map(({ token }) => token)).size).toBe(6)
  })

  it('are valid after a nonce in microseconds', async () => {
    const somebody = await world.somebody()
    const url = world.network.providerUrl
    const nonce = String(Date.now() * 1000)
    const signature = await signText(somebody, somebody.address + nonce)
    const query = new URLSearchParams({ address: somebody.address, nonce, signature, expiration: '4000000000' })
    // refused for its expiry, but the nonce is used
    expect((await ask(`${url}/api/services/createAuthToken?${query}`)).status).toBe(400)
    const tidegate = createTidegate({ url, wallet: walletFor(world, somebody) })
    expect((await tidegate.createToken()).token).toBeTruthy()
  })

  it('are refused with the field and the reason', async () => {
    const refused = (await client()).createToken({ lifetime: 1e9 })
    await expect(refused).rejects.toMatchObject({
      code: 'VALIDATION',
      status: 400,
      fields: { validUntil: [expect.any(String)] },
    })
  })

  it('need a wallet', async () => {
    const tidegate = createTidegate({ url: world.network.providerUrl })
    await expect(tidegate.createToken()).rejects.toMatchObject({ code: 'NO_WALLET' })
  })
})
