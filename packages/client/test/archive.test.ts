import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { downloadToFile } from '@tidegate/client/node'
import { unzipSync } from 'fflate'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bytesOf, Stage } from './stage.js'

const LARGE = Buffer.alloc(600_000, 'hour,height\n')

let stage: Stage
let folder: string
let did: string
let order: `0x${string}`

beforeAll(async () => {
  stage = await Stage.start()
  const { storage } = stage.world
  const file = (name: string, content: Buffer) => ({
    type: 'url',
    url: storage.file(`/${name}`, content),
    method: 'GET',
    name,
  })
  const asset = await stage.world.publish({ files: [file('a/x.csv', LARGE), file('b/x.csv', Buffer.from('small'))] })
  did = asset.did
  order = (await stage.world.order(asset, stage.buyer)) as `0x${string}`
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-client-archive-'))
})
afterEach(() => {
  stage.proxy.cuts = []
  rmSync(folder, { recursive: true })
})
afterAll(() => stage?.close())

const read = (bytes: Uint8Array) =>
  Object.entries(unzipSync(new Uint8Array(bytes))).map(([path, { length }]) => [path, length])
const FILES = [
  ['a/x.csv', LARGE.length],
  ['b/x.csv', 5],
]

describe('an archive', () => {
  it('holds all files under their names, as a stream, a blob or a file, and by a link', async () => {
    const client = stage.client()
    const found = await client.archive(did)
    expect(found).toMatchObject({ name: expect.stringMatching(/^asset-\w{8}\.zip$/), contentType: 'application/zip' })
    expect(found.size).toBeUndefined()
    expect(read(await bytesOf(found))).toEqual(FILES)
    const blob = await (await client.archive(did, { order })).blob()
    expect(read(new Uint8Array(await blob.arrayBuffer()))).toEqual(FILES)
    const saved = await downloadToFile(client.context, did, `${folder}/`, { order, archive: true })
    expect(read(readFileSync(saved.path))).toEqual(FILES)
    expect(readdirSync(folder)).toEqual([found.name])
    const { url } = await client.link(did, { order, archive: true })
    expect(read(new Uint8Array(await (await fetch(url)).arrayBuffer()))).toEqual(FILES)
    expect((await client.asset(did)).services[0]?.files.map(({ name }) => name)).toEqual(['a/x.csv', 'b/x.csv'])
  })

  it('that is cut off is a failure, and leaves no file', async () => {
    const client = stage.client()
    stage.proxy.cuts = [300_000]
    await expect(bytesOf(await client.archive(did, { order }))).rejects.toMatchObject({ code: 'BROKEN_OFF' })
    stage.proxy.cuts = [300_000]
    const path = join(folder, 'all.zip')
    // the part of a file of the same name does not become its beginning
    writeFileSync(`${path}.part`, 'hour')
    const saved = downloadToFile(client.context, did, path, { order, archive: true })
    await expect(saved).rejects.toMatchObject({ code: 'BROKEN_OFF' })
    expect(readdirSync(folder)).toEqual([])
  })

  it('has neither ranges nor a number', async () => {
    const client = stage.client()
    const both = { order, archive: true, file: 0 }
    await expect(client.link(did, both)).rejects.toMatchObject({ code: 'BAD_OPTION' })
    // the name of the parameter of the HTTP API
    const misspelt = { order, fileIndex: 0 }
    await expect(client.download(did, misspelt)).rejects.toMatchObject({
      code: 'BAD_OPTION',
      message: expect.stringContaining('no option fileIndex'),
    })
    await expect(client.download(did, { order, archive: true, range: { start: 1 } })).rejects.toMatchObject({
      code: 'BAD_OPTION',
    })
  })
})
