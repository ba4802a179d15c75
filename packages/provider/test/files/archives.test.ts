import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { unzipSync } from 'fflate'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { program } from '../../../../test/helpers/deploy-tools.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, askJson, downloadParams, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { idOf, tokenOf, upload } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'
import type { Totals } from '../../src/deliveries/delivery-store.js'

const FILES = { 'tides/2026/Höhe 潮.csv': 'high', 'tides/low.csv': 'low water', README: 'read me' }

/** Archives of all files of a service, over the whole chain. */
describe('archive=zip', () => {
  const folder = newFolder()
  let world: World
  let asset: Published
  let buyer: Awaited<ReturnType<World['somebody']>>
  let order: string

  beforeAll(async () => {
    world = await World.start()
    const files = Object.entries(FILES).map(([name, text], at) => {
      return { type: 'url', url: world.storage.file(`/${at}.bin`, Buffer.from(text)), method: 'GET', name }
    })
    asset = await world.publish({ files })
    buyer = await world.somebody()
    order = await world.order(asset, buyer)
  })

  const url = async (of = asset, changed: Record<string, string | undefined> = {}, tx = order) => {
    const params = await downloadParams(of, tx, buyer, { fileIndex: undefined, archive: 'zip', ...changed })
    return `${world.network.providerUrl}/api/services/download?${params}`
  }

  const archive = join(folder, 'all.zip')
  it('has all files under their names', async () => {
    const answer = await fetch(await url())
    expect(answer.headers.get('content-type')).toBe('application/zip')
    expect(answer.headers.get('content-disposition')).toBe(`attachment;filename=asset-${asset.did.slice(-8)}.zip`)
    const bytes = Buffer.from(await answer.arrayBuffer())
    const read = Object.entries(unzipSync(bytes)).map(([path, text]) => [path, Buffer.from(text).toString()])
    expect(Object.fromEntries(read)).toEqual(FILES)
    writeFileSync(archive, bytes)
  })

  for (const [tool, argumentsFor] of Object.entries({
    unzip: (target: string) => ['-q', archive, '-d', target],
    python3: (target: string) => ['-m', 'zipfile', '-e', archive, target],
    '7z': (target: string) => ['x', '-bso0', archive, `-o${target}`],
  }))
    it.skipIf(!program(tool))(`is unpacked by ${tool}`, () => {
      const target = join(folder, tool)
      mkdirSync(target)
      const { status, stderr } = spawnSync(program(tool) as string, argumentsFor(target), { encoding: 'utf8' })
      expect([status, stderr]).toEqual([0, ''])
      for (const [name, text] of Object.entries(FILES)) expect(readFileSync(join(target, name), 'utf8')).toBe(text)
    })

  it('is described by HEAD, which uses no nonce, and by a link', async () => {
    const signed = await url()
    const head = await fetch(signed, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'application/zip', ''])
    expect((await fetch(signed)).status).toBe(200)
    const nonce = freshNonce()
    const by = buyer.address
    const { status, json } = await askJson(`${world.network.providerUrl}/api/services/download/link`, {
      ...{
        documentId: asset.did,
        serviceId: asset.ddo.services[0]?.id,
        transferTxId: order,
        consumerAddress: by,
        nonce,
      },
      ...{ archive: 'zip', signature: await signText(buyer, `${by}${nonce}downloadLink`) },
    })
    expect([status, String(json.url).split('/').at(-1)]).toEqual([201, `asset-${asset.did.slice(-8)}.zip`])
    const bytes = Buffer.from(await (await fetch(String(json.url))).arrayBuffer())
    expect(Object.keys(unzipSync(bytes))).toEqual(Object.keys(FILES))
  })

  it('has a length if the provider hosts all files', async () => {
    const base = world.network.providerUrl
    const auth = await tokenOf(base, buyer)
    const uploaded = await Promise.all(Object.values(FILES).map((text) => upload(base, Buffer.from(text), auth)))
    const names = Object.keys(FILES)
    const files = uploaded.map((one, at) => ({ type: 'hosted', id: idOf(one), ...(at > 0 ? { name: names[at] } : {}) }))
    const hosted = await world.publish({ files })
    const signed = await url(hosted, {}, await world.order(hosted, buyer))
    const head = await fetch(signed, { method: 'HEAD' })
    const answer = await fetch(signed)
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(Object.keys(unzipSync(bytes))).toEqual(['tides.csv', ...names.slice(1)])
    for (const { headers } of [head, answer]) expect(headers.get('content-length')).toBe(String(bytes.length))
  })

  it('refuses wrong parameters by name, and an unknown order', async () => {
    const refusal = async (...of: Parameters<typeof url>) => {
      const { status, json } = await ask(await url(...of))
      return [status, json.errors ?? json.code]
    }
    expect(await refusal(asset, { archive: 'tar' })).toEqual([400, { archive: ['The archive field must be zip.'] }])
    expect(await refusal(asset, { fileIndex: '0' })).toEqual([
      400,
      { fileIndex: ['The fileIndex field must not be sent together with archive.'] },
    ])
    expect(await refusal(asset, { archive: undefined })).toEqual([
      400,
      { fileIndex: ['The fileIndex field is required.'] },
    ])
    expect((await refusal(asset, {}, `0x${'1'.repeat(64)}`))[0]).toBe(400)
  })

  it('is cut off if a file fails in the middle, counts once, and tells fileinfo the names', async () => {
    const gone = `${world.storage.file('/fine.bin', Buffer.from('fine'))}.gone`
    const broken = await world.publish({
      files: [
        { type: 'url', url: world.storage.file('/fine.bin', Buffer.from('fine')), name: 'fine.csv' },
        { type: 'url', url: gone, name: 'gone.csv' },
      ],
    })
    const tx = await world.order(broken, buyer)
    const signed = await url(broken, {}, tx)
    await expect(fetch(signed).then((answer) => answer.arrayBuffer())).rejects.toThrow()
    const { json } = await askJson(`${world.network.providerUrl}/api/services/fileinfo`, {
      ...{ did: asset.did, serviceId: asset.ddo.services[0]?.id },
    })
    expect((json as unknown as { name: string }[]).map(({ name }) => name)).toEqual(Object.keys(FILES))
    // each archive is one delivery, and the broken one is none that is complete
    const { deliveries } = world.local.app.context.store
    await eventually(async () => {
      const totals: Totals[] = []
      for await (const one of deliveries.totals({ since: 0, until: Date.now() + 1, by: 'asset' })) totals.push(one)
      const of = ({ did }: Published) => totals.find((one) => one.key === did && 'complete' in one)
      return isDeepStrictEqual(
        [of(asset), of(broken)],
        [
          {
            key: asset.did,
            deliveries: 3n,
            complete: 3n,
            bytes: 3n * BigInt(Object.values(FILES).join('').length),
            orders: 1n,
          },
          { key: broken.did, deliveries: 1n, complete: 0n, bytes: 4n, orders: 1n },
        ],
      )
    })
  })
})
