import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, askJson, downloadParams, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { idOf, tokenOf, upload } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'
import { PROVIDER_LIMITS } from '../../src/limits.js'

const MOST = PROVIDER_LIMITS.archives.foreign

/** What archives cost others, and the service itself. */
describe('an archive', () => {
  let world: World
  let buyer: Awaited<ReturnType<World['somebody']>>
  beforeAll(async () => {
    world = await World.start({ CONSUMER_REQUESTS_PER_DAY: String(2 * MOST + 2) })
    buyer = await world.somebody()
  })

  const base = () => `${world.network.providerUrl}/api/services/download`
  const url = async (of: Published, order: string, signer = buyer) =>
    `${base()}?${await downloadParams(of, order, signer, { fileIndex: undefined, archive: 'zip' })}`
  async function link(of: Published, order: string) {
    const nonce = freshNonce()
    return askJson(`${base()}/link`, {
      ...{ documentId: of.did, serviceId: of.ddo.services[0]?.id, transferTxId: order, consumerAddress: buyer.address },
      ...{ archive: 'zip', nonce, signature: await signText(buyer, `${buyer.address}${nonce}downloadLink`) },
    })
  }
  async function ofForeign(count: number) {
    const location = world.storage.file(`/${count}.csv`, Buffer.from('tide'))
    const asset = await world.publish({ files: Array.from({ length: count }, () => ({ type: 'url', url: location })) })
    return { asset, order: await world.order(asset, buyer) }
  }

  it('of too many files of other storages is refused, by link as well, and requests none (threat 121)', async () => {
    const { asset, order } = await ofForeign(MOST + 1)
    const asked = world.storage.requests.length
    const refused = {
      status: 400,
      json: { errors: { archive: [expect.stringContaining(`at most ${MOST} files of other storages`)] } },
    }
    expect(await ask(await url(asset, order))).toMatchObject(refused)
    expect(await link(asset, order)).toMatchObject(refused)
    expect(world.storage.requests.length).toBe(asked)
  })

  it('counts as the requests that it makes, by link as well (threat 121)', async () => {
    const { asset, order } = await ofForeign(MOST)
    const { json } = await link(asset, order)
    const asked = world.storage.requests.length
    for (const one of [await url(asset, order), String(json.url)]) expect((await ask(one)).status).toBe(200)
    expect(world.storage.requests.length).toBe(asked + 2 * MOST)
    for (const one of [await url(asset, order), String(json.url)])
      expect(await ask(one)).toMatchObject({
        status: 429,
        json: { code: 'CONSUMER_LIMITED', error: expect.stringContaining(`fewer than the ${MOST} downloads`) },
      })
    expect(world.storage.requests.length).toBe(asked + 2 * MOST)
  })

  it('of hosted files is described once for many HEAD requests, which count (threat 124)', async () => {
    const [other, provider] = [await world.somebody(), world.network.providerUrl]
    const hosted = idOf(await upload(provider, Buffer.from('tide'), await tokenOf(provider, other)))
    const asset = await world.publish({ files: Array.from({ length: 1_500 }, () => ({ type: 'hosted', id: hosted })) })
    const signed = await url(asset, await world.order(asset, other), other)
    const find = vi.spyOn(world.local.app.context.store.hosted, 'find')
    const heads: (string | null)[] = []
    for (let n = 0; n < 2 * MOST + 3; n++) {
      const { status, headers } = await fetch(signed, { method: 'HEAD' })
      heads.push(status === 200 ? headers.get('content-length') : String(status))
    }
    expect(find.mock.calls.length).toBe(1_500)
    find.mockRestore()
    expect(new Set(heads.slice(0, -1)).size).toBe(1)
    expect(Number(heads[0])).toBeGreaterThan(1_500 * 100)
    expect(heads.at(-1)).toBe('429')
  })
})
