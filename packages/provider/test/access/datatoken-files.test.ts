import { createRequire } from 'node:module'
import { concat, type Hex, numberToHex, stringToHex, toFunctionSelector, zeroAddress } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { DatatokenSales, objectOf, withoutFiles } from '../../../../test/helpers/datatoken-sales.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { startInstance } from '../../../../test/helpers/instance.js'
import { createLink } from '../../../../test/helpers/links.js'
import { HELD, measured } from '../../../../test/helpers/measured.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { answering, behind, ENDLESS, placed, zeros } from '../../../../test/helpers/raw-contracts.js'
import {
  type Answer,
  ask,
  askJson,
  createToken,
  type downloadParams,
  downloadUrl,
  freshNonce,
  served,
  signText,
} from '../../../../test/helpers/requests.js'
import type { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { World } from '../../../../test/helpers/world.js'
import { COMMON_LIMITS } from '../../../common/src/limits.js'
import { providerKey } from '../../../protocol/src/crypto/keys.js'
import { AccessListContract } from './access-list.js'

const FILES_OBJECT = toFunctionSelector('getFilesObject(uint256,address,bytes,bytes,bytes,address)')

/** Files that a datatoken of template 4 keeps, instead of the document. */
describe('files in the datatoken', () => {
  let world: World
  let proxy: RpcProxy
  let sales: DatatokenSales
  let base: string
  let honest: Awaited<ReturnType<DatatokenSales['sold']>>
  /** Its assets have a fee by size. */
  const sized = newWallet()
  /** The data of each call of getFilesObject. */
  const asked: string[] = []

  beforeAll(async () => {
    const fees = [
      { name: 'by-size', publisher: sized.address, perGiB: '1' },
      { name: 'none', flat: '0' },
    ]
    ;({ world, proxy } = await World.behindProxy({ PURCHASES: 'on', PROVIDER_FEES: JSON.stringify(fees) }))
    proxy.refuse = (method, params) => {
      const { data } = (params[0] ?? {}) as { data?: string }
      if (method === 'eth_call' && data?.startsWith(FILES_OBJECT)) asked.push(data)
      return undefined
    }
    base = `${world.network.providerUrl}/api/services`
    sales = new DatatokenSales(world)
    await world.somebody(sized)
    honest = await sales.sold([fileOf('/honest.csv', 'honest')])
  })

  const fileOf = (path: string, text: string) => ({
    ...{ type: 'url', method: 'GET' },
    url: world.storage.file(path, Buffer.from(text)),
  })
  const urlOf = (...of: Parameters<typeof downloadParams>) => downloadUrl(world.network.providerUrl, ...of)
  const download = async (...of: Parameters<typeof downloadParams>) => ask(await urlOf(...of))
  const initialize = ({ did: documentId }: Published, query: Record<string, string> = {}) => {
    const about = { documentId, serviceId: 'tide-access', consumerAddress: sized.address }
    return ask(`${base}/initialize?${new URLSearchParams({ ...about, ...query })}`)
  }
  const refusal = (status: number, code: string) => ({ status, json: { code } })

  it('are downloaded by the consumer of an order, as files of documents are', async () => {
    const low = { ...fileOf('/low.csv', '0.3'), name: 'heights/low.csv' }
    const { asset, buyer, txId } = await sales.sold([fileOf('/high.csv', '4.2'), low])
    expect((await initialize(asset, { fileIndex: '0' })).json).toMatchObject({ datatoken: asset.datatoken })
    expect((await download(asset, txId, buyer)).text).toBe('4.2')
    const second = await urlOf(asset, txId, buyer, { fileIndex: '1' })
    const { status, text, headers } = await ask(second, { headers: { range: 'bytes=2-' } })
    expect([status, text, headers.get('content-disposition')]).toEqual([206, '3', expect.stringContaining('low.csv')])
    const archive = await download(asset, txId, buyer, { fileIndex: undefined, archive: 'zip' })
    expect(archive.text).toContain('heights/low.csv')
    expect(await download(asset, txId, buyer, { fileIndex: '2' })).toMatchObject(refusal(400, 'NO_SUCH_FILE'))
    // an order that is valid is not paid twice
    const again = { transferTxId: txId, consumerAddress: buyer.address }
    expect((await initialize(asset, again)).json).toEqual({ validOrder: txId })
    await sales.setFiles(asset, objectOf(asset, [fileOf('/next.csv', 'next')]))
    expect((await download(asset, txId, buyer)).text).toBe('next')
  })

  it('are downloaded by the URL that the published client signs', async () => {
    const { asset, buyer, txId } = honest
    const require = createRequire(import.meta.url)
    const library = require('ocean-lib-8')
    const { ethers } = createRequire(require.resolve('ocean-lib-8'))('ethers')
    library.LoggerInstance.setLevel(library.LogLevel.None)
    const signer = new ethers.Wallet(buyer.privateKey, new ethers.JsonRpcProvider(world.network.rpcUrl))
    const { providerUrl } = world.network
    const url = await library.ProviderInstance.getDownloadUrl(asset.did, 'tide-access', 0, txId, providerUrl, signer)
    expect((await ask(url)).text).toBe('honest')
  })

  it('are refused without the signature of an account, and a signed HEAD leaves its nonce unused', async () => {
    const { asset, buyer, txId } = honest
    const { providerUrl } = world.network
    const needed = refusal(409, 'FILES_IN_DATATOKEN')
    const { json } = await createToken(providerUrl, providerKey(buyer.privateKey as Hex), freshNonce())
    const byToken = await urlOf(asset, txId, buyer, { signature: undefined, nonce: undefined })
    expect(await ask(byToken, { headers: { AuthToken: json.token as string } })).toMatchObject(needed)
    expect(await createLink(providerUrl, asset, txId, buyer)).toMatchObject(needed)
    const service = { did: asset.did, serviceId: 'tide-access' }
    expect(await askJson(`${base}/fileinfo`, service)).toMatchObject(needed)
    const [{ address }, nonce] = [asset.publisher, freshNonce()]
    const signature = await signText(asset.publisher, `${address}${nonce}encryptVersion`)
    const version = { documentId: asset.did, serviceId: 'tide-access', consumerAddress: address, nonce, signature }
    const headers = { 'content-type': 'application/octet-stream' }
    const joined = { method: 'POST', headers, body: JSON.stringify(objectOf(asset, [])) }
    expect(await ask(`${base}/encrypt/version?${new URLSearchParams(version)}`, joined)).toMatchObject(needed)
    const signed = await urlOf(asset, txId, buyer)
    expect((await ask(signed, { method: 'HEAD' })).status).toBe(409)
    expect((await ask(signed)).text).toBe('honest')
  })

  it('are never priced by size, nor sold for a signed payment', async () => {
    const asset = await sales.publish([fileOf('/sized.csv', 'sized')], { publisher: sized })
    expect(await initialize(asset)).toMatchObject(refusal(409, 'FILES_IN_DATATOKEN'))
    const pricing = { fixed: '2', token: 'MockUSDC' } as const
    const { did } = await sales.publish([fileOf('/priced.csv', 'priced')], { pricing })
    const purchase = `${base}/purchase?${new URLSearchParams({ documentId: did, serviceId: 'tide-access' })}`
    const told = { code: 'NOT_OFFERED', error: expect.stringContaining('for a signature') }
    expect(await ask(purchase)).toMatchObject({ status: 404, json: told })
  })

  it('are for the consumer and the payer of an order: strangers do not make the service ask the datatoken', async () => {
    const { asset, buyer, txId } = honest
    const [stranger, payer] = [await world.somebody(), await world.somebody()]
    asked.length = 0
    const { status, json } = await download(asset, txId, stranger, { consumerAddress: buyer.address })
    expect([status, json.errors]).toEqual([400, { signature: [expect.any(String)] }])
    expect(await download(asset, txId, stranger)).toMatchObject(refusal(400, 'ORDER_WRONG_CONSUMER'))
    expect(asked).toEqual([])
    const gift = await sales.order(asset, payer, stranger.address)
    for (const account of [payer, stranger]) expect((await download(asset, gift, account)).text).toBe('honest')
  })

  it('are asked for when the nonce is used up, since a node sees the signature (threat 152)', async () => {
    const { asset, buyer, txId } = honest
    const url = await urlOf(asset, txId, buyer)
    const { forward } = proxy
    let replayed: Answer | undefined
    proxy.forward = async (method, params) => {
      if (carries(params, url)) replayed ??= await ask(url)
      return forward(method, params)
    }
    expect((await ask(url)).text).toBe('honest')
    proxy.forward = forward
    expect([replayed?.status, replayed?.json.errors]).toEqual([400, { nonce: [expect.any(String)] }])
  })

  /** Whether the parameters of a call hold the signature of a download. */
  const carries = (params: unknown, url: string) => JSON.stringify(params).includes(signatureOf(url))
  const signatureOf = (url: string) => (new URL(url).searchParams.get('signature') as string).slice(2)

  it('are not quoted if the lists of the datatoken do not admit this provider', async () => {
    const { asset, buyer, txId } = await sales.sold([fileOf('/listed.csv', 'listed')])
    const { providerAddress, addresses } = world.network
    const listOf = async (member: string) =>
      (await AccessListContract.deployed(addresses.AccessListFactory, asset.publisher, [member])).address
    const [own, others] = [await listOf(providerAddress), await listOf(buyer.address)]
    for (const [allow, deny] of [
      [others, zeroAddress],
      [own, own],
    ] as const) {
      await sales.setLists(asset, allow, deny)
      // answers about lists are cached for INDEX_POLL_INTERVAL
      await eventually(async () => (await initialize(asset)).json.code === 'FILES_REFUSED')
      expect(await download(asset, txId, buyer)).toMatchObject(refusal(403, 'FILES_REFUSED'))
    }
    await sales.setLists(asset, own, others)
    await eventually(async () => (await initialize(asset)).status === 200)
    expect((await download(asset, txId, buyer)).text).toBe('listed')
  })

  it('are not looked for in a datatoken of another template, or of no factory', async () => {
    const buyer = await world.somebody()
    const other = await world.publish({ files: [], template: 2, adjust: withoutFiles() })
    expect(await initialize(other)).toMatchObject(refusal(400, 'FILES_UNREADABLE'))
    const rpc = world.rpc.bind(world)
    const stranger = await placed(rpc, behind(FILES_OBJECT, await placed(rpc, ENDLESS)))
    const adjust = withoutFiles({ datatokenAddress: stranger })
    const foreign = await world.publish({ files: [], template: 4, adjust })
    asked.length = 0
    for (const answer of [await initialize(foreign), await download(foreign, foreign.txId, buyer)])
      expect(answer).toMatchObject(refusal(400, 'UNKNOWN_SERVICE'))
    expect(asked).toEqual([])
  })

  const word = (value: number) => numberToHex(value, { size: 32 })
  const answeringBytes = (data: Hex) => answering(concat([word(32), word((data.length - 2) / 2), data]))
  const TOO_LONG: Hex = `0x${'04'.repeat(COMMON_LIMITS.contract.result)}`
  const plain = (own: Published) => stringToHex(JSON.stringify(objectOf(own, [fileOf('/plain.csv', 'plain')])))

  it.each<[code: string, what: string, code: (own: Published) => Hex | Promise<Hex>]>([
    ['FILES_REFUSED', 'never ends', () => ENDLESS],
    ['FILES_REFUSED', 'reverts with a megabyte', () => zeros(1_048_576, true)],
    ['FILES_REFUSED', 'answers a megabyte', () => zeros(1_048_576)],
    ['FILES_REFUSED', 'answers more than a list of files', () => answeringBytes(TOO_LONG)],
    ['FILES_REFUSED', 'declares 2^32 bytes', () => answering(concat([word(32), word(2 ** 32 - 1)]))],
    ['FILES_UNREADABLE', 'answers nothing', () => answeringBytes('0x')],
    ['FILES_UNREADABLE', 'answers other bytes', () => answeringBytes(`0x04${'ab'.repeat(200)}`)],
    ['FILES_UNREADABLE', 'answers plain text', (own) => answeringBytes(plain(own))],
    ['FILES_UNREADABLE', 'answers no list', async (own) => answeringBytes(await sales.encrypted(objectOf(own, {})))],
  ])('are %s if the contract %s (threat 36)', async (code, _what, codeOf) => {
    const { asset, buyer, txId } = honest
    const rpc = world.rpc.bind(world)
    const original = (await rpc('eth_getCode', [asset.datatoken, 'latest'])) as Hex
    await placed(rpc, behind(FILES_OBJECT, await placed(rpc, await codeOf(asset))), asset.datatoken)
    const { result, held } = await measured(() => download(asset, txId, buyer))
    await placed(rpc, original, asset.datatoken)
    expect(result).toMatchObject(refusal(code === 'FILES_REFUSED' ? 403 : 400, code))
    expect(held).toBeLessThan(HELD)
    expect((await download(asset, txId, buyer)).text).toBe('honest')
  })

  it('are refused if they were encrypted for another data NFT and datatoken (threat 10)', async () => {
    const { asset, buyer, txId } = await sales.sold([fileOf('/own.csv', 'own')])
    expect((await download(asset, txId, buyer)).text).toBe('own')
    await sales.setFiles(asset, objectOf(honest.asset, [fileOf('/honest.csv', 'honest')]))
    expect(await download(asset, txId, buyer)).toMatchObject(refusal(400, 'FILES_UNREADABLE'))
  })

  it('leave no signature in the log, whatever a node answers (threat 16)', async () => {
    const { asset, buyer, txId } = honest
    const lines: string[] = []
    const nodes = { NETWORK_URL: JSON.stringify({ [world.network.chainId]: proxy.url }) }
    const onLine = (line: string) => void lines.push(line)
    const service = await startInstance(world.beside(nodes), undefined, { level: 'trace', onLine })
    await served(service.url, asset)
    const [failing, passing] = [await urlOf(asset, txId, buyer), await urlOf(asset, txId, buyer)].map((url) =>
      url.replace(world.network.providerUrl, service.url),
    ) as [string, string]
    proxy.refuse = (method, params) =>
      carries(params, failing) ? { code: -32603, message: `${method}: ${JSON.stringify(params)}` } : undefined
    const { status, text } = await ask(failing)
    expect([status, text.includes(signatureOf(failing).slice(0, 40))]).toEqual([403, false])
    expect((await ask(passing)).text).toBe('honest')
    await service.end()
    expect(lines.filter((line) => line.includes(asset.did)).length).toBeGreaterThan(1)
    for (const url of [failing, passing]) expect(lines.join('\n')).not.toContain(signatureOf(url).slice(0, 40))
  })
})
