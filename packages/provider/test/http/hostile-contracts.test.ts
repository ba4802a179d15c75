import type { Wallet } from 'ethers'
import { concat, type Hex, numberToHex } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { ABI_BOMBS, viewFunction } from '../../../../test/helpers/abi.js'
import { HELD, measured } from '../../../../test/helpers/measured.js'
import { answering, ENDLESS, placed, zeros } from '../../../../test/helpers/raw-contracts.js'
import { ask, downloadParams, freshNonce } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { COMMON_LIMITS } from '../../../common/src/limits.js'

/** MiB by which the process may grow during an attack. */
const GROWN = 160

const word = (value: number) => numberToHex(value, { size: 32 })

/** Many pointers to one text: 256 KB that decode to half a gigabyte. */
function pointers(count: number, length: number): Hex {
  const places = Array.from({ length: count }, () => word(count * 32))
  return concat([word(32), word(count), ...places, word(length), `0x${'61'.repeat(length)}`])
}

/** Files of kind smartcontract with a hostile ABI or contract, over HTTP. */
describe('hostile contracts and ABIs (threat 36)', () => {
  let world: World
  let base: string
  let buyer: Wallet
  let honest: string

  beforeAll(async () => {
    world = await World.start()
    base = `${world.network.providerUrl}/api/services`
    buyer = await world.somebody()
    honest = await put(answering(concat([word(32), word(3), word(1), word(2), word(3)])))
  })

  const put = (code: Hex) => placed(world.rpc.bind(world), code)
  const fileOf = (address: string, abi: unknown) => ({ type: 'smartcontract', chainId: 8996, address, abi })
  const returning = (type: string, inputs: object[] = []) => viewFunction([{ name: '', type }], inputs)
  const post = (body: string) =>
    ask(`${base}/fileinfo`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const fileinfo = (body: object) => post(JSON.stringify(body))

  /** Sends a body five times concurrently (once if it is long), beside an honest request that must be answered. */
  async function attack(body: string) {
    const times = body.length > 100_000 ? 1 : 5
    const { result, held, grown } = await measured(() =>
      Promise.all([
        fileinfo(fileOf(honest, returning('uint256[]'))),
        ...Array.from({ length: times }, () => post(body)),
      ]),
    )
    expect(result[0]?.json).toMatchObject([{ valid: true, contentLength: '13' }])
    expect(held).toBeLessThan(HELD)
    expect(grown).toBeLessThan(GROWN)
    return result.slice(1)
  }

  it('control: an honest contract works as a file, with lists as answer and argument', async () => {
    const file = fileOf(honest, returning('uint256[]', [{ name: 'of', type: 'uint256[2]' }]))
    const described = await fileinfo({ ...file, userdata: { of: [0, '1'] }, checksum: true })
    expect(described.json).toMatchObject([{ valid: true, contentLength: '13', checksumType: 'sha256' }])
    const asset = await world.publish({ files: [file] })
    const params = await downloadParams(asset, await world.order(asset, buyer), buyer, { userdata: '{"of":[0,1]}' })
    expect((await ask(`${base}/download?${params}`)).text).toBe('["1","2","3"]')
  })

  const TOO_DEEP = 'The body is nested deeper than 32 levels.'

  it.each(ABI_BOMBS)('an ABI with %s is a 400 that names the field', async (_name, abi) => {
    const body = JSON.stringify(fileOf(honest, abi))
    for (const { status, json } of await attack(body)) {
      // an ABI that is too long or too deep may be refused before it is parsed
      if (status === 413) expect(body.length).toBeGreaterThan(65_536)
      else {
        const told = [{ abi: [expect.stringMatching(/^The abi field must /)] }, { body: [TOO_DEEP] }]
        expect([status, told]).toEqual([400, expect.arrayContaining([json.errors])])
      }
    }
  })

  it('an ABI with components 10,000 deep is a 400 before it is parsed', async () => {
    const deep = `${'{"type":"tuple","components":['.repeat(10_000)}${']}'.repeat(10_000)}`
    const abi = JSON.stringify(returning('uint256')).replace('"outputs":[', `"outputs":[${deep},`)
    const body = JSON.stringify(fileOf(honest, 0)).replace('"abi":0', `"abi":${abi}`)
    for (const { status, json } of await attack(body))
      if (status !== 413)
        expect([status, json.errors]).toEqual([400, { body: [expect.stringContaining('nested deeper')] }])
  })

  it('a published file with such an ABI cannot be used, and is never a 5xx', async () => {
    const [, bomb] = ABI_BOMBS[0] as [string, object]
    const asset = await world.publish({ files: [fileOf(honest, bomb)] })
    const info = await fileinfo({ did: asset.did, serviceId: 'tide-access' })
    if (info.status === 200) expect(info.json).toMatchObject([{ valid: false }])
    else expect([info.status, info.json.code]).toEqual([400, 'FILES_UNREADABLE'])
    // the file is checked before the order, which cannot exist, since there is no quote for it
    const { status, json } = await ask(`${base}/download?${await downloadParams(asset, asset.txId, buyer)}`)
    expect([status, json.code]).toEqual([400, 'FILES_UNREADABLE'])
  })

  const contracts: [name: string, type: string, code: Hex][] = [
    ['never ends', 'uint256', ENDLESS],
    ['answers a megabyte', 'uint256[]', zeros(1_048_576)],
    ['reverts with a megabyte', 'uint256', zeros(1_048_576, true)],
    ['answers one byte more than it may', 'bytes', zeros(COMMON_LIMITS.contract.result + 1)],
    ['names one text 4,000 times', 'bytes[]', answering(pointers(4000, 130_000))],
    ['names one text 4,000 times as a string', 'string[]', answering(pointers(4000, 130_000))],
    ['declares 2^32 elements', 'uint256[]', answering(concat([word(32), word(2 ** 32 - 1)]))],
    ['answers another type', 'bool', answering(word(7))],
    ['is not there', 'uint256', '0x'],
  ]

  it.each(contracts)('a contract that %s is an unavailable file', async (_name, type, code) => {
    const file = fileOf(await put(code), returning(type))
    for (const { status, json } of await attack(JSON.stringify(file)))
      expect([status, json]).toEqual([200, [{ index: 0, valid: false, type: 'smartcontract', reason: 'failed' }]])
    const asset = await world.publish({ files: [file] })
    const params = await downloadParams(asset, await world.order(asset, buyer), buyer)
    const { result, held } = await measured(() => ask(`${base}/download?${params}`))
    expect([result.status, result.json.code]).toEqual([502, 'STORAGE_REFUSED'])
    expect(held).toBeLessThan(HELD)
  })

  it('arguments of wrong types are a 400, and consume no nonce', async () => {
    const asset = await world.publish({
      files: [fileOf(honest, returning('uint256[]', [{ name: 'of', type: 'uint8' }]))],
    })
    const txId = await world.order(asset, buyer)
    const nonce = freshNonce()
    const download = async (of: unknown) =>
      ask(`${base}/download?${await downloadParams(asset, txId, buyer, { nonce, userdata: JSON.stringify({ of }) })}`)
    for (const of of [256, -1, '1'.repeat(79), [1], { of: 1 }, [[[1]]]]) {
      const { status, json } = await download(of)
      expect([status, json.errors]).toEqual([400, { userdata: [expect.stringContaining('of')] }])
    }
    expect((await download(255)).text).toBe('["1","2","3"]')
  })

  it('a token name of 200 KB, and a token URI of megabytes, are left out of a document', async () => {
    const { Ocean } = world.network.addresses
    const url = world.storage.file('/a.csv', Buffer.from('tide'))
    const asset = await world.publishUrl(url, { pricing: { fixed: '2.5' } })
    const long = answering(concat([word(32), word(200_000), `0x${'41'.repeat(200_000)}`]))
    await placed(world.rpc.bind(world), long, Ocean)
    await placed(world.rpc.bind(world), zeros(1_048_576), asset.nft)
    const { result, held } = await measured(() =>
      ask(`${world.network.providerUrl}/api/aquarius/assets/ddo/${asset.did}`),
    )
    expect(result.json).toMatchObject({ id: asset.did, nft: { address: asset.nft, tokenURI: '' } })
    expect(result.json.stats).toMatchObject({ price: { value: 2.5, tokenAddress: Ocean } })
    expect(result.text).not.toContain('AAAA')
    expect(held).toBeLessThan(HELD)
  })
})
