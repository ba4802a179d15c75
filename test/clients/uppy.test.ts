import { randomBytes } from 'node:crypto'
import type { Uppy } from '@uppy/core'
import type Tus from '@uppy/tus'
import type { TusOpts } from '@uppy/tus'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CuttingProxy } from '../../packages/client/test/cutting-proxy.js'
import { launchBrowser } from '../helpers/browser.js'
import { ROOT } from '../helpers/built.js'
import { eventually } from '../helpers/eventually.js'
import { SlowPart } from '../helpers/slow-part.js'
import { begin, bytesOf, idOf, tokenOf, tus } from '../helpers/uploads.js'
import { World } from '../helpers/world.js'

const PAGE = '<!doctype html><title>Tides</title><script type=module src=/app.js></script>'
const APP = "import { Uppy } from '@uppy/core'; import Tus from '@uppy/tus'; Object.assign(window, { Uppy, Tus })"

/** Files by name. */
const FILES: Record<string, Buffer> = {
  'höhen.csv': randomBytes(3_000_000),
  'empty.csv': Buffer.alloc(0),
  'small.csv': Buffer.from('tide'),
  'large.csv': randomBytes(4_500_000),
}
const LIMIT = 4_000_000

type Options = Partial<TusOpts<never, never>> & { headers: Record<string, string> }
type App = { Uppy: typeof Uppy; Tus: typeof Tus }
interface Uploaded {
  /** URLs of the uploaded files by name. */
  urls: Record<string, string>
  /** Status and body of the service's refusals by name. */
  refusals: Record<string, [number, object]>
}

/** The page of a publisher with the unmodified Uppy, of another origin than the service. */
describe('Uppy', () => {
  let world: World
  let proxy: CuttingProxy
  let auth: Record<string, string>
  let browser: Browser
  let page: Page
  /** Methods of the page's requests to the service. */
  let methods: string[]

  beforeAll(async () => {
    world = await World.start({ HOSTING_MAX_FILE: String(LIMIT), HOSTING_MAX_UPLOADS_PER_PUBLISHER: '4' })
    proxy = await CuttingProxy.before(world.network.providerUrl)
    auth = await tokenOf(world.network.providerUrl, await world.somebody())
    const stdin = { contents: APP, resolveDir: `${ROOT}/test` }
    const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', platform: 'browser', write: false })
    world.storage.file('/app.js', Buffer.from(outputFiles[0]?.contents ?? ''), 'text/javascript')
    world.storage.file('/', Buffer.from(PAGE), 'text/html')
    for (const [name, content] of Object.entries(FILES)) world.storage.file(`/${encodeURI(name)}`, content)
    browser = await launchBrowser()
    page = await browser.newPage()
    page.on('request', (request) => {
      if (request.url().startsWith(proxy.url)) methods.push(request.method())
    })
  })
  beforeEach(async () => {
    await page.goto(`${world.storage.origin}/`)
    await page.evaluate(() => localStorage.clear())
    methods = []
  })
  afterAll(async () => {
    await browser?.close()
    proxy?.close()
    await world?.close()
  })

  /** Adds files to Uppy on the page and uploads them. `pauses`: pauses and resumes at the first progress. */
  async function upload(names: string[], more: Partial<Options> = {}, pauses = false): Promise<Uploaded> {
    await page.waitForFunction(() => 'Tus' in globalThis)
    const options = { endpoint: `${proxy.url}/api/services/uploads`, headers: auth, ...more }
    return page.evaluate(
      async ({ names, options, pauses }) => {
        const { Uppy, Tus } = globalThis as never as App
        const uppy = new Uppy().use(Tus, options as never)
        for (const name of names) {
          const data = await (await fetch(`/${name}`)).blob()
          uppy.addFile({ name, type: 'text/csv', data, meta: { station: 'Ullapool' } })
        }
        const refusals: Uploaded['refusals'] = {}
        uppy.on('upload-error', (file, _error, response) => {
          const { responseText } = response?.body?.xhr as never as XMLHttpRequest
          if (response) refusals[file?.name as string] = [response.status, JSON.parse(responseText)]
        })
        const paused = new Promise<void>((resolve) => {
          uppy.on('upload-progress', (_file, { bytesUploaded, bytesTotal }) => {
            if (bytesUploaded === 0 || bytesUploaded === bytesTotal) return
            if (pauses) uppy.pauseAll()
            pauses = false
            resolve()
          })
        })
        if (pauses) paused.then(() => uppy.resumeAll())
        const { successful = [] } = (await uppy.upload()) ?? {}
        return {
          urls: Object.fromEntries(successful.map(({ name, uploadURL }) => [name, uploadURL])),
          refusals,
        } as never
      },
      { names, options: options as Record<string, unknown>, pauses },
    )
  }

  /** Uploads files, whose hosted bytes must be theirs. Returns a URL of one. */
  async function uploaded(names: string[], ...how: [Partial<Options>?, boolean?]): Promise<string> {
    const { urls, refusals } = await upload(names, ...how)
    expect([Object.keys(urls).sort(), refusals]).toEqual([[...names].sort(), {}])
    const { hosting, settings } = world.local.app.context
    for (const [name, url] of Object.entries(urls)) {
      expect(await hosting?.find(idOf(url))).toMatchObject({ name, contentType: 'text/csv' })
      expect(bytesOf(settings.HOSTING_DIR, idOf(url)).equals(FILES[name] as Buffer), name).toBe(true)
    }
    return Object.values(urls)[0] as string
  }

  it('uploads several files at once, with metadata', async () => {
    const url = await uploaded(['höhen.csv', 'empty.csv', 'small.csv'])
    const metadata = (await tus(url, 'HEAD', auth)).headers.get('upload-metadata')
    expect(metadata).toContain(`station ${btoa('Ullapool')}`)
  })

  it.each<[string, Partial<Options>]>([
    ['in parts', { chunkSize: 700_001 }],
    ['in parts that are joined', { parallelUploads: 3 }],
    ['from the request that creates the upload', { uploadDataDuringCreation: true, chunkSize: 2_000_000 }],
    ['in joined parts from the requests that create them', { parallelUploads: 2, uploadDataDuringCreation: true }],
    ['with requests that have no PATCH', { overridePatchMethod: true }],
  ])('uploads %s', async (_how, options) => {
    await uploaded(['höhen.csv'], options)
    if (options.overridePatchMethod) expect(methods).toEqual(['POST', 'POST'])
    if (options.parallelUploads)
      expect(methods.filter((method) => method === 'POST').length).toBe(options.parallelUploads + 1)
  })

  it('goes on after a pause', async () => {
    await uploaded(['höhen.csv'], { chunkSize: 500_000 }, true)
    expect(methods.filter((method) => method !== 'PATCH')).toEqual(['POST', 'HEAD'])
  })

  it('resumes after its connection is lost', async () => {
    proxy.uploadCuts = [1_000_000]
    await uploaded(['höhen.csv'])
    expect([proxy.uploadCuts, ...methods]).toEqual([[], 'POST', 'PATCH', 'HEAD', 'PATCH'])
  })

  it('resumes on a reloaded page', async () => {
    proxy.uploadCuts = [1_000_000]
    expect((await upload(['höhen.csv'], { retryDelays: [] })).urls).toEqual({})
    methods = []
    await page.reload()
    await uploaded(['höhen.csv'])
    expect(methods).toEqual(['HEAD', 'PATCH'])
  })

  it('waits while the publisher has too many uploads', async () => {
    const base = world.network.providerUrl
    const held = await Promise.all(
      Array.from({ length: 4 }, async () => new SlowPart(await begin(base, 10, auth), auth, 10)),
    )
    const { uploadsActive } = world.local.app.context.metrics
    await eventually(async () => (await uploadsActive.get()).values[0]?.value === 4)
    const refused = page.waitForResponse((response) => response.status() === 429)
    const ended = refused.then(() => held.forEach((part) => void part.end()))
    await Promise.all([uploaded(['höhen.csv', 'empty.csv', 'small.csv']), ended])
  })

  it.each<[string, string, Record<string, string> | undefined, number, object]>([
    ['that is too large', 'large.csv', undefined, 413, { error: expect.stringContaining('4000000') }],
    ['without a token', 'small.csv', {}, 400, { message: 'Validation error' }],
    ['with a wrong token', 'small.csv', { AuthToken: 'x' }, 400, { error: 'Token is invalid.' }],
  ])('tells why the service refuses a file %s', async (_case, name, headers, status, body) => {
    const { urls, refusals } = await upload([name], headers && { headers })
    expect([urls, refusals]).toEqual([{}, { [name]: [status, expect.objectContaining(body)] }])
  })
})
