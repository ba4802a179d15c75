import Database from 'libsql'
import { beforeAll, describe, expect, it } from 'vitest'
import { runHere } from '../../../../test/helpers/command-here.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { createLink } from '../../../../test/helpers/links.js'
import { ask } from '../../../../test/helpers/requests.js'
import { begin, tokenOf, tus } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'
import { allTables } from '../../src/state/transfer/schema.js'

const CONTENT = Buffer.from('hour,height\n00:00,3.1\n')

describe('the commands consumer export and consumer forget', () => {
  let world: World
  let base: string

  beforeAll(async () => {
    world = await World.start({ MAX_DOWNLOADS_PER_ADDRESS: '2' })
    base = world.network.providerUrl
  })

  const codeOf = async (url: string) => {
    const { status, json } = await ask(url)
    return [status, json.code]
  }

  it('forget ends the links and tokens of an account, of which the database then holds the nonce alone', async () => {
    const { STATE_DIR } = world.local.app.context.settings
    const consumer = (...args: string[]) => runHere(['consumer', ...args], world.beside({ STATE_DIR }))
    const { asset: own, buyer: somebody, txId: order } = await world.sold(world.storage.file('/own.csv', CONTENT))
    const { address } = somebody
    const linkOf = (headers = {}) => createLink(base, own, order, somebody, {}, headers)
    const auth = await tokenOf(base, somebody)
    const byToken = () => createLink(base, own, order, somebody, { signature: undefined, nonce: undefined }, auth)
    const links = [(await linkOf()).url, (await byToken()).url]
    const another = await world.sold(world.storage.file('/other.csv', CONTENT))
    const other = await createLink(base, another.asset, another.txId, another.buyer)
    const unfinished = await begin(base, 100, auth)
    for (const url of links) expect((await ask(url)).status).toBe(200)
    const held = async () => JSON.parse((await consumer('export', address.toLowerCase())).stdout)
    await eventually(async () => (await held()).deliveries.length === 2)
    const exported = await held()
    expect(exported).toMatchObject({
      account: address,
      ...{ nonces: [{ nonce: expect.stringMatching(/^[0-9]+/) }], order_fees: [] },
      deliveries: Array(2).fill(expect.objectContaining({ did: own.did, order_tx: order, bytes: CONTENT.length })),
      ...{ hosted_files: [{ size: 100, received: 0 }], hosted_totals: [{ owner: address, files: 1 }] },
      index_order: [expect.objectContaining({ chain: world.network.chainId, consumer: address, tx_id: order })],
    })

    expect(await consumer('forget', address)).toMatchObject({ status: 3, stderr: expect.stringContaining('--yes') })
    expect((await ask(links[0] as string)).status).toBe(200)
    expect(await consumer('forget', address, '--yes')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^0x\w+: [23] deliveries and 0 fees are anonymous; 0 waiting .* 1 unfinished/),
      stderr: expect.stringMatching(/nonce stays: .* replayed.*\n.*/),
    })
    for (const url of links) expect(await codeOf(url)).toEqual([410, 'LINK_REVOKED'])
    expect((await byToken()).json.code).toBe('TOKEN_DELETED')
    expect((await tus(unfinished, 'HEAD', auth)).status).not.toBe(200)
    // a download that ended meanwhile is recorded within seconds
    await eventually(async () => (await consumer('forget', address, '--yes')).stdout.startsWith('There was nothing'))
    // the service removes the bytes of the upload, and then its row
    await world.local.app.context.hosting?.sweeper.sweep(Date.now())
    expect(namedIn(`${STATE_DIR}/tidegate.sqlite`, address)).toEqual(['forgotten_accounts', 'nonces'])

    // the account is not barred
    const later = Math.floor(Date.now() / 1000)
    await eventually(async () => Math.floor(Date.now() / 1000) > later)
    expect((await ask((await linkOf()).url)).status).toBe(200)
    expect((await ask(other.url)).status).toBe(200)
  })

  it.each([
    ['export', ['0x12'], /value '0x12' is invalid for argument 'address'\. It must be an address/],
    ['forget', ['0xBE5449a6A97aD46c8558A3356267Ee5D2731ab5E'], /is invalid for argument 'address'\. .*checksum/],
    ['forget', [`0x${'0'.repeat(40)}`, '--yes'], /argument 'address'\. It must not be the zero address/],
    ['forget', [], /missing required argument 'address'/],
  ])('%s names a wrong argument: %j', async (name, args, message) => {
    expect(await runHere(['consumer', name, ...args], {})).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(message),
    })
  })

  it('say that there is nothing of an account', async () => {
    const { STATE_DIR } = world.local.app.context.settings
    const unknown = `0x${'ab'.repeat(20)}`
    const consumer = (...args: string[]) => runHere(['consumer', ...args], world.beside({ STATE_DIR }))
    const { stdout, stderr } = await consumer('export', unknown)
    expect([stderr, JSON.parse(stdout).deliveries]).toEqual([expect.stringContaining('holds nothing of 0xABaB'), []])
    const forgotten = { status: 0, stdout: expect.stringContaining('There was nothing of 0xABaB') }
    expect(await consumer('forget', unknown, '-y')).toMatchObject(forgotten)
  })
})
/** The tables in which a text is, apart from those of the index and the search, which hold data of the chain. */
function namedIn(file: string, text: string): string[] {
  const db = new Database(file, { readonly: true })
  try {
    return allTables()
      .filter(({ name }) => !/^(index|search)_/.test(name))
      .filter(({ name, columns }) => {
        const where = columns.map((column) => `instr(lower("${column}"), ?) > 0`).join(' OR ')
        return db.prepare(`SELECT 1 FROM ${name} WHERE ${where}`).all(columns.map(() => text.toLowerCase())).length > 0
      })
      .map(({ name }) => name)
  } finally {
    db.close()
  }
}
