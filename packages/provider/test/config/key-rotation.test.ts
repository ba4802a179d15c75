import { expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask, downloadUrl, served } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'

it('key rotation: the new key quotes and encrypts; what the old key encrypted and quoted remains valid', async () => {
  const world = await World.start()
  const folder = newFolder()
  const { asset, buyer, txId } = await world.sold(world.storage.file('/a.csv', Buffer.from('tide')))
  const app = async (previous: NodeJS.ProcessEnv) =>
    createApp(
      loadSettings(world.beside({ PROVIDER_PRIVATE_KEY: `0x${'22'.repeat(32)}`, ...previous, STATE_DIR: folder })),
    )
  const rotated = await app({ PREVIOUS_PRIVATE_KEYS: `0x${'33'.repeat(32)}, ${world.network.accounts[8]?.privateKey}` })
  const base = await rotated.listen()
  await served(base, asset)
  const download = async () => ask(await downloadUrl(base, asset, txId, buyer))
  expect((await download()).text).toBe('tide')
  const quote = await ask(
    `${base}/api/services/initialize?documentId=${asset.did}&serviceId=tide-access&consumerAddress=${buyer.address}`,
  )
  const [address] = Object.values((await ask(base)).json.providerAddresses as object)
  expect(address).not.toBe(world.network.providerAddress)
  expect(quote.json.providerFee).toMatchObject({ providerFeeAddress: address })
  await rotated.close()

  const forgetful = await app({})
  await forgetful.context.store.index.begin(world.network.chainId, true)
  const other = await forgetful.listen()
  await eventually(async () => (await ask(`${other}/ready`)).status === 200)
  await eventually(async () => (await ask(`${other}/api/aquarius/assets/ddo/${asset.did}`)).status === 404)
  await forgetful.close()
  await world.close()
})
