import type { ethers } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { HELD, heldBy } from '../../../../test/helpers/measured.js'
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
  const filesOf = (files: unknown[], nftAddress = asset.nft, datatokenAddress = asset.datatoken) =>
    JSON.stringify({ nftAddress, datatokenAddress, files })
  const filesIn = (text: string): { name?: string }[] => {
    const key = providerKey(world.network.accounts[8]?.privateKey as `0x${string}`)
    return JSON.parse(decrypt([key], Buffer.from(text.slice(2), 'hex')).toString()).files
  }

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

  it('appends the present files, and moves taken names into a folder', async () => {
    const added = [{ ...object('c'), name: 'tides.csv' }, object('a')]
    const { status, text } = await post(filesOf(added))
    expect(status, text).toBe(201)
    const named = (path: string, name: string) => ({ ...object(path), name })
    expect(filesIn(text)).toEqual([...added, object('a'), named('b', 'old/tides.csv'), named('d', 'old 2/tides.csv')])
  })

  const changed = (present: unknown, files: unknown[] = []) =>
    JSON.stringify({ ...JSON.parse(filesOf(files)), present })

  it('removes, renames and replaces single present files, which keep their place', async () => {
    const named = (path: string, name: string) => ({ ...object(path), name })
    // a replaced file keeps the name of the present one, also in another order of the changes
    const present = [
      { index: 1, file: { ...object('e'), name: 'other.csv' } },
      { index: 0, name: 'first.csv' },
    ]
    const edited = await post(changed(present))
    expect(edited.status, edited.text).toBe(201)
    expect(filesIn(edited.text)).toEqual([
      named('a', 'first.csv'),
      named('e', 'tides.csv'),
      named('d', 'old/tides.csv'),
    ])
    // names change places; a new file takes the name of one that goes
    const swapped = [
      { index: 1, name: 'old/tides.csv', file: object('e') },
      { index: 2, name: 'tides.csv' },
      { index: 0, remove: true },
    ]
    expect(filesIn((await post(changed(swapped, [object('f')]))).text)).toEqual([
      ...[object('f'), named('e', 'old/tides.csv'), named('d', 'tides.csv')],
    ])
    // a file that is not asked about gives way to a new name
    const taken = await post(changed([{ index: 0, name: 'TIDES.csv' }]))
    expect(filesIn(taken.text).map(({ name }) => name)).toEqual(['TIDES.csv', 'old/tides.csv', 'old 2/tides.csv'])
  })

  it('changes nothing but files of the version that is named', async () => {
    const { services } = asset.ddo
    const filesVersion = services[0]?.files.slice(-64) as string
    const body = changed([{ index: 0, remove: true }])
    expect(await post(body, publisher, { filesVersion: 'f'.repeat(64) })).toMatchObject({
      ...{ status: 409, json: { code: 'FILES_CHANGED' } },
    })
    expect((await post(body, publisher, { filesVersion })).status).toBe(201)
  })

  it('refuses changes that are wrong or contradict each other, with field and reason (threat 120)', async () => {
    const most = 262_000 - changed([{ index: 0, file: object('') }]).length
    const every = [0, 1, 2].map((index) => ({ index, remove: true }))
    const refusals: [unknown, string, RegExp][] = [
      ['all', 'present', /must be a list/],
      [[null], 'present[0]', /must be an object/],
      [[{ index: 0 }], 'present[0]', /either remove, or name/],
      [[{ index: 0, remove: true, name: 'a' }], 'present[0]', /either remove, or name/],
      [[{ index: 0, remove: 'yes' }], 'present[0].remove', /true or false/],
      [[{ index: 0, name: 'a', more: 1 }], 'present[0]', /no other fields/],
      ...[3, -1, 0.5, '0', null, undefined].map(
        (index) => [[{ index, remove: true }], 'present[0].index', /index of a present/] as [unknown, string, RegExp],
      ),
      [[every[0], every[0]], 'present[1].index', /no other entry names/],
      [[{ index: 0, name: '../a' }], 'present[0].name', /must not contain empty parts/],
      [[{ index: 0, file: [object('a')] }], 'present[0].file', /storage object/],
      [
        [
          { index: 0, name: 'ä' },
          { index: 1, name: 'A\u0308' },
        ],
        'present[1].name',
        /no other entry has/,
      ],
      [[{ index: 0, file: object('x'.repeat(most)) }], 'body', /more than 262000 bytes/],
      [every, 'present', /at least one file/],
    ]
    for (const [present, field, reason] of refusals) {
      const { status, json, text } = await post(changed(present))
      expect({ status, errors: json?.errors }, field).toEqual({
        ...{ status: 400, errors: { [field]: [expect.stringMatching(reason)] } },
      })
      expect(text).not.toContain('secret')
    }
  })

  it('does not tell by its length whether a location was guessed (threat 125)', async () => {
    // in sequence: nonces only grow
    const right = await post(filesOf([object('a')]))
    const wrong = await post(filesOf([object('z')]))
    expect([right.status, wrong.status]).toEqual([201, 201])
    expect(right.text.length).toBe(wrong.text.length)
  })

  it('takes as long for many equal names as for others, and each signature once (threat 120)', async () => {
    const many = Array.from({ length: 8_000 }, () => ({ name: 'a' }))
    const crowded = await world.publish({ publisher, files: many })
    const body = filesOf([{ name: 'a' }], crowded.nft, crowded.datatoken)
    const of = { documentId: crowded.did }
    const texts: string[] = []
    const held = await heldBy(async () => {
      for (let n = 0; n < 3; n++) texts.push((await post(body, publisher, of)).text)
    })
    expect(held).toBeLessThan(HELD)
    const names = filesIn(texts[0] as string).map(({ name }) => name)
    expect(names.slice(0, 3)).toEqual(['a', 'old/a', 'old 2/a'])
    expect(new Set(names).size).toBe(8_001)
    const nonce = freshNonce()
    const signed = { ...of, nonce, signature: await signText(publisher, `${publisher.address}${nonce}encryptVersion`) }
    const long = filesOf([object('x'.repeat(200_000))], crowded.nft, crowded.datatoken)
    const refused = [await post(long, publisher, signed), await post(long, publisher, signed)]
    expect(refused.map(({ status }) => status)).toEqual([400, 400])
    expect(refused[0]?.text).toMatch(/more than 262000 bytes/)
    expect(refused[1]?.text).toMatch(/nonce must be greater/)
  })

  it('takes a list from ciphertext for as untrusted as one from a body (threat 120)', async () => {
    const wrong: unknown[] = [{ name: '../a' }, { name: 5 }, { name: '' }, 'text', null, ['x']]
    const odd = await world.publish({ publisher, files: [...wrong, object('a')] as object[] })
    const sent = filesOf([object('c')], odd.nft, odd.datatoken)
    const { text } = await post(sent, publisher, { documentId: odd.did })
    expect(filesIn(text)).toEqual([object('c'), {}, {}, {}, 'text', null, ['x'], object('a')])
    const bad = filesOf([{ ...object('c'), name: '../a' }])
    expect(await post(bad)).toMatchObject({ status: 400, json: { errors: { 'files[0].name': [expect.any(String)] } } })
    const deep = JSON.parse('['.repeat(100) + ']'.repeat(100))
    const nested = await world.publish({ publisher, files: [deep] })
    const into = filesOf([object('c')], nested.nft, nested.datatoken)
    expect(await post(into, publisher, { documentId: nested.did })).toMatchObject({
      ...{ status: 400, json: { code: 'FILES_UNREADABLE' } },
    })
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
