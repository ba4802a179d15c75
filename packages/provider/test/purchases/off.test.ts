import { expect, it, vi } from 'vitest'
import { ask } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'

const { loaded, noted } = vi.hoisted(() => {
  const loaded: string[] = []
  const noted = (name: string) => {
    loaded.push(name)
    return {}
  }
  return { loaded, noted }
})
vi.mock('@tidegate/purchases', () => noted('@tidegate/purchases'))
vi.mock('@x402/core/http', () => noted('@x402/core/http'))
vi.mock('@x402/core/schemas', () => noted('@x402/core/schemas'))

it('a service with PURCHASES off offers no purchase, and loads none of its code but the tables', async () => {
  const world = await World.start({ PURCHASES: 'off' })
  const asset = await world.publishUrl(world.storage.file('/tides.csv', Buffer.from('3.1\n')))
  const { providerUrl } = world.network
  const service = { documentId: asset.did, serviceId: asset.ddo.services[0]?.id as string }
  const { status } = await ask(`${providerUrl}/api/services/purchase?${new URLSearchParams(service)}`)
  expect(status).toBe(404)
  expect((await ask(providerUrl)).text).not.toContain('/purchase')
  expect(loaded).toEqual([])
})
