import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Published } from '../helpers/publish.js'
import { signText } from '../helpers/requests.js'
import { World } from '../helpers/world.js'
import { GENERATIONS } from './generations.js'
import { fieldsOf, filled, type Request, readFixture, type Values } from './recording.js'

const FOLDER = new URL('fixtures/', import.meta.url)
const FIXTURES = readdirSync(FOLDER).map((file) => readFixture(readFileSync(new URL(file, FOLDER), 'utf8')))

/**
 * What the commands of ocean-cli 2 ask this service for, by the helper of the library that they call (read in its
 * `src/commands.ts` and `src/helpers.ts`; it is not on the npm registry). Compute and node administration are not ours.
 */
const OCEAN_CLI: Record<string, [command: string, routes: string[]]> = {
  'createAsset, encrypted': ['publish, publishAlgo', ['/api/services/encrypt', '/api/aquarius/assets/ddo/validate']],
  'createAsset, plain': ['publish with encryption off', ['/api/services/encrypt']],
  // editAsset and allowAlgo then encrypt and validate as createAsset does
  waitForIndexer: ['getDDO, editAsset, download, allowAlgo', ['/api/aquarius/assets/ddo/{{did}}']],
  orderAsset: ['download', ['/api/services/initialize']],
  downloadFile: ['download', ['/api/services/nonce', '/api/services/download']],
  checkDidFiles: ['allowAlgo', ['/api/services/fileinfo']],
}

/** Replays the requests that released clients send, byte by byte (recorded by `record.ts`), without the clients. */
describe('recorded requests', () => {
  let world: World
  let asset: Published
  let fileUrl: string
  beforeAll(async () => {
    world = await World.start()
    fileUrl = world.storage.file('/tides.csv', Buffer.from('hour,height\n'))
    asset = await world.publishUrl(fileUrl, { adjust: ({ metadata }) => Object.assign(metadata, { tags: ['tide'] }) })
  })

  it('exist for every generation', () => {
    const libraries = GENERATIONS.map(({ name }) => `@oceanprotocol/lib ${name}`)
    expect(FIXTURES.map(({ library }) => library).sort()).toEqual(libraries.sort())
  })

  it.each(FIXTURES)('of $library cover what ocean-cli asks for', ({ calls }) => {
    for (const [call, [command, routes]] of Object.entries(OCEAN_CLI)) {
      const paths = calls[call]?.map(({ url }) => url.split('?')[0])
      expect(paths, `${command}: ${call}`).toEqual(expect.arrayContaining(routes))
    }
  })

  it.each(FIXTURES)('of $library are answered as when they were recorded', async ({ calls }) => {
    const person = await world.somebody()
    const { did, nft, datatoken, ddo } = asset
    const values: Values = { did, nft, datatoken, files: ddo.services[0]?.files as string }
    Object.assign(values, { origin: world.network.providerUrl, fileUrl, address: person.address })
    values.orderTx = await world.order(asset, person)
    for (const [call, requests] of Object.entries(calls)) {
      for (const recorded of requests) {
        const { status, answer } = await send(recorded, values, person)
        expect({ call, url: recorded.url, status, ...fieldsOf(answer) }).toEqual({
          call,
          url: recorded.url,
          status: recorded.status,
          ...(recorded.fields ? { fields: recorded.fields } : {}),
        })
        learn(answer, values)
      }
    }
  })

  /** As clients do: the next nonce is one more than the last, and a token is kept. */
  function learn(answer: string, values: Values): void {
    if (!answer.startsWith('{"nonce":') && !answer.startsWith('{"token":')) return
    const { nonce, token } = JSON.parse(answer)
    if (nonce !== undefined) values.nonce = String(nonce + 1)
    if (token !== undefined) values.token = token
  }

  /** Sends a request with exactly the client's headers; fetch would add others. */
  async function send({ method, url, headers, body }: Request, values: Values, person: Wallet) {
    const fill = (template: string) => filled(template, values, (message) => signText(person, message))
    const content = body === undefined ? '' : await fill(JSON.stringify(body))
    const sent = request(world.network.providerUrl + (await fill(url)), {
      method,
      headers: { ...JSON.parse(await fill(JSON.stringify(headers))), 'content-length': Buffer.byteLength(content) },
    })
    const answered = new Promise<{ status: number; answer: string }>((resolve, reject) => {
      sent.on('error', reject)
      sent.on('response', async (response) =>
        resolve({ status: response.statusCode ?? 0, answer: await text(response) }),
      )
    })
    sent.end(content)
    return answered
  }
})
