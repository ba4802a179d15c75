import type { Wallet } from 'ethers'
import { beforeAll, expect, it } from 'vitest'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, askJson, downloadParams, downloadUrl } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'

let world: World
let asset: Published
let buyer: Wallet
let txId: string
beforeAll(async () => {
  world = await World.start()
  ;({ asset, buyer, txId } = await world.sold(world.storage.file('/data/tides.csv', Buffer.from('tide'))))
})

it('encrypted files that were copied from another asset are refused (threat 10)', async () => {
  const files = asset.ddo.services[0]?.files as string
  const thief = await world.publish({
    files: [],
    adjust: (ddo) => {
      for (const service of ddo.services) service.files = files
    },
  })
  for (const path of [
    `initialize?documentId=${thief.did}&serviceId=tide-access&consumerAddress=${buyer.address}`,
    `download?${await downloadParams(thief, txId, buyer)}`,
  ])
    expect(await ask(`${world.network.providerUrl}/api/services/${path}`)).toMatchObject({
      status: 400,
      json: { error: 'Unable to get dataset files', code: 'FILES_UNREADABLE' },
    })
  const info = await askJson(`${world.network.providerUrl}/api/services/fileinfo`, {
    did: thief.did,
    serviceId: 'tide-access',
  })
  expect(info).toMatchObject({ status: 400, json: { code: 'FILES_UNREADABLE' } })
})

it('a service whose datatoken belongs to another NFT is refused (threat 10)', async () => {
  const stranger = await world.publish({
    files: [{ type: 'url', url: `${world.storage.origin}/data/tides.csv`, method: 'GET' }],
    adjust: (ddo) => {
      for (const service of ddo.services) service.datatokenAddress = asset.datatoken
    },
  })
  expect(await ask(await downloadUrl(world.network.providerUrl, stranger, txId, buyer))).toMatchObject({
    status: 400,
    json: { code: 'UNKNOWN_SERVICE' },
  })
})
