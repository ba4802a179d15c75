import { existsSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { ask } from '../../../../test/helpers/requests.js'
import { begin, idOf, pathOf, tokenOf, upload } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'

const LIFETIME = 600
const CONTENT = Buffer.from('tide')

describe('hosted files that nobody publishes', () => {
  let world: World
  let base: string
  let auth: Record<string, string>
  beforeAll(async () => {
    world = await World.start({ HOSTING_UNPUBLISHED_LIFETIME: String(LIFETIME) })
    base = world.network.providerUrl
    auth = await tokenOf(base, await world.somebody())
  })

  const statusOf = async (url: string) => (await ask(url, { headers: auth })).status
  const lies = (url: string) => existsSync(pathOf(world.local.app.context.settings.HOSTING_DIR, idOf(url)))
  /** Looks for what has ended, at a time after now in seconds. */
  const sweep = (later: number) => world.local.app.context.hosting?.sweeper.sweep(Date.now() + later * 1000)

  it('end after their time, complete or not, and their bytes count no more', async () => {
    const [complete, unfinished] = [await upload(base, CONTENT, auth), await begin(base, 100, auth)]
    await sweep(LIFETIME - 60)
    expect([await statusOf(complete), await statusOf(unfinished)]).toEqual([200, 200])
    await sweep(LIFETIME + 60)
    expect([await statusOf(complete), await statusOf(unfinished)]).toEqual([404, 404])
    expect(lies(complete)).toBe(false)
    const { hosted } = world.local.app.context.store
    expect(await hosted.totals()).toEqual({ files: 0, bytes: 0 })
    expect(await hosted.removed(10)).toEqual([])
  })

  it('are those that no document of the index names: one that is published stays', async () => {
    const [used, encrypted] = [await upload(base, CONTENT, auth), await upload(base, CONTENT, auth)]
    const asset = await world.publish({ files: [{ type: 'hosted', id: idOf(used) }] })
    const body = JSON.stringify({
      nftAddress: asset.nft,
      datatokenAddress: asset.datatoken,
      files: [{ type: 'hosted', id: idOf(encrypted) }],
    })
    const headers = { 'content-type': 'application/octet-stream' }
    const { chainId } = world.network
    const answer = await ask(`${base}/api/services/encrypt?chainId=${chainId}`, { method: 'POST', headers, body })
    expect(answer.status).toBe(201)
    // what was encrypted for the same NFT is not what its document holds
    await sweep(LIFETIME + 60)
    expect([await statusOf(used), await statusOf(encrypted)]).toEqual([200, 404])
    await sweep(3 * LIFETIME)
    expect([await statusOf(used), lies(used)]).toEqual([200, true])
  })

  it('stay while the index cannot tell: it is behind, or is read again', async () => {
    const url = await upload(base, CONTENT, auth)
    const id = idOf(url)
    const { hosting, store } = world.local.app.context
    const unserved = { chainId: 424242, nft: '0x1111111111111111111111111111111111111111' } as const
    await hosting?.uses.record(unserved.chainId, unserved.nft, [{ type: 'hosted', id }], `0x04${'ab'.repeat(32)}`)
    await sweep(LIFETIME + 60)
    expect(await statusOf(url)).toBe(200)
    expect((await store.hosted.find(id))?.id).toBe(id)
  })

  it('of which the bytes could not be deleted are deleted later', async () => {
    const url = await upload(base, CONTENT, auth)
    // as it is after a crash right after the removal
    await world.local.app.context.store.hosted.remove(idOf(url), Date.now())
    expect([await statusOf(url), lies(url)]).toEqual([404, true])
    await sweep(0)
    expect(lies(url)).toBe(false)
  })
})
