import type { ethers } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { decrypt } from '../../../protocol/src/crypto/ecies.js'
import { providerKey } from '../../../protocol/src/crypto/keys.js'

describe('POST /api/services/encrypt/version', () => {
  let world: World
  let publisher: ethers.Wallet
  let asset: Published
  beforeAll(async () => {
    world = await World.start()
    publisher = await world.somebody()
    asset = await world.publish({
      publisher,
      files: [object('a'), { ...object('b'), name: 'tides.csv' }, { ...object('d'), name: 'old/tides.csv' }],
    })
  })

  const object = (path: string) => ({ type: 'url', url: `https://secret.example/${path}`, method: 'GET' })
  const filesOf = (files: object[], nftAddress = asset.nft) =>
    JSON.stringify({ nftAddress, datatokenAddress: asset.datatoken, files })

  async function post(body: string, signer = publisher, changed: Record<string, string> = {}) {
    const nonce = freshNonce()
    const params = {
      documentId: asset.did,
      serviceId: asset.ddo.services[0]?.id as string,
      consumerAddress: signer.address,
      nonce,
      signature: await signText(signer, `${signer.address}${nonce}encryptVersion`),
      ...changed,
    }
    return ask(`${world.network.providerUrl}/api/services/encrypt/version?${new URLSearchParams(params)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body,
    })
  }

  it('appends the present files, without copies, and moves taken names into a folder', async () => {
    const added = [{ ...object('c'), name: 'tides.csv' }, object('a')]
    const { status, text } = await post(filesOf(added))
    expect(status, text).toBe(201)
    const key = providerKey(world.network.accounts[8]?.privateKey as `0x${string}`)
    const { files } = JSON.parse(decrypt([key], Buffer.from(text.slice(2), 'hex')).toString())
    const named = (path: string, name: string) => ({ ...object(path), name })
    expect(files).toEqual([...added, named('b', 'old/tides.csv'), named('d', 'old 2/tides.csv')])
  })

  it('refuses everybody but those who may change the metadata, and discloses nothing (threat 106)', async () => {
    const other = await world.somebody()
    const foreign = filesOf([object('c')], world.network.addresses.Ocean as string)
    const most = 262_000 - filesOf([object('')]).length
    const refusals = [
      [await post(filesOf([object('c')]), other), 403, /UPDATER_DENIED/],
      [await post(filesOf([object('c')]), publisher, { consumerAddress: other.address }), 400, /signature/],
      [await post(filesOf([object('c')]), publisher, { signature: '' }), 400, /signature/],
      [await post(foreign), 400, /of this data NFT/],
      [await post('no json'), 400, /of this data NFT/],
      [await post(filesOf([object('x'.repeat(most + 1))])), 413, /BODY_TOO_LARGE/],
      [await post(filesOf([object('x'.repeat(most))])), 400, /the present ones have more than 262000 bytes/],
      [await post(filesOf([object('c')]), publisher, { serviceId: 'no' }), 400, /UNKNOWN_SERVICE/],
    ] as const
    for (const [{ status, text }, expected, reason] of refusals) {
      expect({ status, text }).toEqual({ status: expected, text: expect.stringMatching(reason) })
      expect(text).not.toContain('secret')
    }
  })
})
