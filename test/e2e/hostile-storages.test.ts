import type { Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { downloadUrl } from '../helpers/consume.js'
import { AT_ONCE, eventually } from '../helpers/eventually.js'
import { fakeFtp } from '../helpers/fake-ftp.js'
import { columns, fakePostgres, message, row } from '../helpers/fake-postgres.js'
import { askJson, FILE_ID } from '../helpers/requests.js'
import { World } from '../helpers/world.js'

const CONTENT = Buffer.alloc(1_000_000, 'x')
const BEGUN = Buffer.concat([message('1'), message('2'), columns({ a: 25 })])
/** The deadline of anonymous requests, in milliseconds. */
const DEADLINE = 4000
const silent = () => undefined

/** Hostile SQL and FTP servers, as consumers and strangers meet them through the service. */
describe('downloads from hostile SQL and FTP servers (threat 44)', () => {
  let world: World
  let buyer: Wallet
  beforeAll(async () => {
    // one slot each, so that a leaked slot fails the next request
    world = await World.start({
      STORAGE_MAX_REQUESTS: '1',
      DESCRIBE_MAX_REQUESTS: '1',
      DESCRIBE_TIMEOUT: `${DEADLINE}`,
      STORAGE_RESPONSE_TIMEOUT: '90000',
      SQL_TIMEOUT: '90000',
    })
    buyer = await world.somebody()
  })

  const sql = (url: string) => ({ type: 'sql', url, query: 'SELECT 1' })
  const ftp = (url: string) => ({ type: 'ftp', url })
  const describeFile = (file: object, signal?: AbortSignal) =>
    askJson(`${world.network.providerUrl}/api/services/fileinfo`, file, { ...(signal ? { signal } : {}) })

  async function downloadOf(file: object): Promise<() => Promise<string>> {
    const asset = await world.publish({ files: [file] })
    const txId = await world.order(asset, buyer)
    return () => downloadUrl(world.network, asset, txId, buyer)
  }

  it('are aborted as soon as the consumer disconnects, before or after the first byte', async () => {
    const rows = {
      rows: (to: { write(bytes: Buffer): unknown }) => to.write(Buffer.concat([BEGUN, row('1'), message('s')])),
    }
    const beforeRow = await fakePostgres({ rows: silent })
    const afterRow = await fakePostgres({ ...rows, more: silent })
    const beforeByte = await fakeFtp(CONTENT, { data: silent })
    const afterByte = await fakeFtp(CONTENT, { data: (to) => void to.write(CONTENT.subarray(0, 1000)) })
    const cases = [
      [sql(beforeRow.url()), false, () => beforeRow.server.open.size],
      [sql(afterRow.url()), true, () => afterRow.server.open.size],
      [ftp(beforeByte.url()), false, beforeByte.open],
      [ftp(afterByte.url()), true, afterByte.open],
    ] as const
    for (const [file, begins, open] of cases) {
      const url = await downloadOf(file)
      const leaving = new AbortController()
      const answer = fetch(await url(), { signal: leaving.signal })
      answer.catch(() => undefined)
      if (begins) await (await answer).body?.getReader().read()
      else await eventually(() => open() > 0)
      leaving.abort()
      await eventually(() => open() === 0, AT_ONCE)
    }
    const honest = await fakeFtp(CONTENT)
    const last = await fetch(await (await downloadOf(ftp(honest.url())))())
    expect(Buffer.from(await last.arrayBuffer()).equals(CONTENT)).toBe(true)
    for (const server of [beforeRow, afterRow, beforeByte, afterByte, honest]) await server.close()
  })

  it('a fileinfo request about a silent server is answered at the deadline, and aborted when the client disconnects', async () => {
    const [database, server] = [await fakePostgres({ password: silent }), await fakeFtp(CONTENT, { USER: silent })]
    for (const [file, open] of [
      [sql(database.url()), () => database.server.open.size],
      [ftp(server.url()), server.open],
    ] as const) {
      expect((await describeFile(file)).json).toEqual([
        { index: 0, valid: false, type: file.type, reason: expect.any(String) },
      ])
      await eventually(() => open() === 0, AT_ONCE)
      const leaving = new AbortController()
      const asked = describeFile(file, leaving.signal).catch(() => undefined)
      await eventually(() => open() > 0)
      leaving.abort()
      await asked
      await eventually(() => open() === 0, DEADLINE * 0.9)
    }
    const honest = await fakePostgres()
    expect((await describeFile(sql(honest.url()))).json).toMatchObject([{ valid: true, contentType: 'text/csv' }])
    for (const one of [database, server, honest]) await one.close()
  })

  it('describing a published query opens no connection, and a malformed URL is a 400 (threats 50 and 61)', async () => {
    const database = await fakePostgres()
    const asset = await world.publish({ files: [sql(database.url())] })
    const { json } = await describeFile({ did: asset.did, serviceId: asset.ddo.services[0]?.id })
    expect(json).toEqual([
      { index: 0, id: expect.stringMatching(FILE_ID), valid: true, type: 'sql', contentType: 'text/csv' },
    ])
    expect(database.server.accepted).toBe(0)
    for (const url of [
      'postgres://%zz@127.0.0.1/db',
      'postgres://a%00@127.0.0.1/db',
      'postgres://a@127.0.0.1/db?sslmode=prefer',
    ])
      expect(await describeFile(sql(url))).toMatchObject({
        status: 400,
        json: { errors: { url: [expect.stringMatching(/^The url field must/)] } },
      })
    await database.close()
  })
})
