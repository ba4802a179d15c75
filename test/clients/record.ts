import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { quietly } from '../helpers/consume.js'
import { Recorder } from '../helpers/recorder.js'
import { World } from '../helpers/world.js'
import { clientEnvironment, GENERATIONS, type Generation } from './generations.js'
import { type Request, templates, toFixture, type Values } from './recording.js'

/**
 * Records the requests that each generation of the library sends, by call: `npx tsx test/clients/record.ts`. Run it
 * again when a release is added or changed.
 */
async function record(generation: Generation, world: World, recorder: Recorder): Promise<Record<string, Request[]>> {
  const { client, aquarius, createAsset, order, signer: signerOf } = generation
  const url = recorder.url
  const cache = aquarius(url)
  const wallet = await world.somebody()
  const signer = signerOf(wallet)
  const fileUrl = world.storage.file('/tides.csv', Buffer.from('hour,height\n'))
  const values: Values = { origin: url, fileUrl, address: wallet.address }
  const calls: Record<string, Request[]> = {}

  /** Makes a call and records its requests; `learned` are values that are known only afterwards. */
  async function call<T>(
    name: string,
    run: () => Promise<T>,
    learned: (answer: T) => Promise<Values> | Values = () => ({}),
  ) {
    recorder.taken()
    const answer = await quietly(run)
    Object.assign(values, await learned(answer))
    calls[name] = templates(recorder.taken(), values)
    return answer
  }
  const ofAsset = async (did: string): Promise<Values> => {
    const { requests } = recorder
    const sent = requests.length
    const { nftAddress, services } = await cache.waitForIndexer(did, undefined, undefined, 20, 400)
    requests.splice(sent)
    const [service] = services
    return { did, nft: nftAddress, datatoken: service?.datatokenAddress as string, files: service?.files as string }
  }
  const draft = { name: 'tides', url: fileUrl, price: '0' }

  await call('isValidProvider', () => client.isValidProvider(url))
  await call('getNonce', () => client.getNonce(url, wallet.address))
  await call('getFileInfo', () => client.getFileInfo({ type: 'url', index: 0, url: fileUrl, method: 'GET' }, url, true))
  await call('createAsset, plain', () => createAsset({ ...draft, encrypted: false }, signer, url), ofAsset)
  const did = await call('createAsset, encrypted', () => createAsset(draft, signer, url), ofAsset)
  const asset = await call('waitForIndexer', () => cache.waitForIndexer(did, undefined, undefined, 20, 400))
  const { txid } = asset.event
  await call('waitForIndexer, transaction', () => cache.waitForIndexer(did, txid, undefined, 20, 400))
  await call('resolve', () => cache.resolve(did))
  await call('getAssetMetadata', () => cache.getAssetMetadata(did))
  const byDid = { bool: { filter: [{ term: { _id: did } }] } }
  await call('querySearch', () =>
    cache.querySearch({ query: byDid, sort: { 'nft.created': 'desc' }, from: 0, size: 9 }),
  )
  await call('checkDidFiles', () => client.checkDidFiles(did, 'tide-access', url, true))
  await call('initialize', () => client.initialize(did, 'tide-access', 0, wallet.address, url))
  const txId = await call(
    'orderAsset',
    () => order(asset, signer, url),
    (orderTx) => ({ orderTx }),
  )
  const link = (by: unknown) => client.getDownloadUrl(did, 'tide-access', 0, txId, url, by)
  await call('downloadFile', async () => generation.downloadFile(await link(signer)))
  if (generation.modern) {
    const token = await call(
      'generateAuthToken',
      () => client.generateAuthToken(signer, url),
      (made) => ({ token: made }),
    )
    const headers = { Authorization: token }
    await call('download with a token', async () => (await fetch(await link(token), { headers })).text())
    await call('invalidateAuthToken', () => client.invalidateAuthToken(signer, token, url))
  }
  return calls
}

const world = await World.start()
const recorder = await Recorder.before(world.network.providerUrl)
Object.assign(process.env, clientEnvironment(world.local.addressFile, recorder.url))
try {
  for (const generation of GENERATIONS) {
    const calls = await record(generation, world, recorder)
    const fixture = toFixture({ library: `@oceanprotocol/lib ${generation.name}`, calls })
    const file = new URL(`fixtures/${generation.name}.json`, import.meta.url)
    writeFileSync(fileURLToPath(file), `${JSON.stringify(fixture, null, 2)}\n`)
  }
  execFileSync('node_modules/.bin/biome', ['format', '--write', fileURLToPath(new URL('fixtures/', import.meta.url))])
} finally {
  await recorder.close()
  await world.close()
}
process.exit()
