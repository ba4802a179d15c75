import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CuttingProxy } from '../../packages/client/test/cutting-proxy.js'
import { newFolder } from '../helpers/cleanup.js'
import { eventually } from '../helpers/eventually.js'
import { pythonWith } from '../helpers/python.js'
import { SlowPart } from '../helpers/slow-part.js'
import { begin, bytesOf, idOf, tokenOf } from '../helpers/uploads.js'
import { World } from '../helpers/world.js'

const TUSPY = '1.1.0'
const PROGRAM = fileURLToPath(new URL('tuspy/main.py', import.meta.url))
const python = pythonWith('tuspy', TUSPY) as string
if (!python)
  console.warn(`SKIPPED: tuspy. There is no Python with tuspy ${TUSPY}; scripts/python-clients.sh installs one.`)

/** What tuspy/main.py does: arguments of its uploader, and how it is run. */
interface Call {
  options?: Record<string, unknown>
  headers?: Record<string, string>
  /** Path of a file with the URLs of uploads. */
  storage?: string
  /** Number of bytes after which to stop. */
  stopAt?: number
  asynchronous?: boolean
}

/** Uploads by the unmodified tuspy. */
describe.skipIf(!python)(`tuspy ${TUSPY}`, () => {
  let world: World
  let proxy: CuttingProxy
  let auth: Record<string, string>
  const folder = newFolder()
  const content = randomBytes(3_000_000)
  const [file, empty] = [join(folder, 'höhen.csv'), join(folder, 'empty.csv')] as const

  beforeAll(async () => {
    writeFileSync(file, content)
    writeFileSync(empty, '')
    world = await World.start({ HOSTING_MAX_FILE: '3000000', HOSTING_MAX_UPLOADS: '1' })
    proxy = await CuttingProxy.before(world.network.providerUrl)
    auth = await tokenOf(world.network.providerUrl, await world.somebody())
  })
  afterAll(async () => {
    proxy?.close()
    await world?.close()
  })

  /** Runs tuspy. Returns the URL of the upload, or the refusal. */
  async function run({ options, ...call }: Call): Promise<{ url: string }> {
    const env = { PATH: process.env.PATH, HOME: folder, PYTHONDONTWRITEBYTECODE: '1' }
    const child = execFile(python, [PROGRAM], { env })
    const endpoint = `${proxy.url}/api/services/uploads`
    child.stdin?.end(JSON.stringify({ endpoint, headers: auth, options: { file_path: file, ...options }, ...call }))
    const [output, errors] = await Promise.all([child.stdout, child.stderr].map((stream) => text(stream as never)))
    if (!output) throw new Error(errors)
    return JSON.parse(output)
  }
  const hosted = ({ url }: { url: string }) => bytesOf(world.local.app.context.settings.HOSTING_DIR, idOf(url))

  it.each<[string, Call]>([
    ['at once', {}],
    ['in parts', { options: { chunk_size: 700_001 } }],
    ['with checksums', { options: { chunk_size: 1_000_000, upload_checksum: true } }],
    ['by its asynchronous uploader', { options: { chunk_size: 1_000_000, upload_checksum: true }, asynchronous: true }],
  ])('uploads a file %s', async (_how, call) => {
    expect(hosted(await run(call)).equals(content)).toBe(true)
  })

  it('uploads an empty file, with metadata', async () => {
    const metadata = { filename: 'höhen.csv', filetype: 'text/csv', station: 'Ullapool' }
    const found = await run({ options: { file_path: empty, metadata } })
    expect(hosted(found)).toHaveLength(0)
    const about = { name: 'höhen.csv', contentType: 'text/csv', size: 0 }
    expect(await world.local.app.context.hosting?.find(idOf(found.url))).toMatchObject(about)
  })

  it('resumes from a stored URL, and from a given one', async () => {
    const storage = join(folder, 'urls.json')
    const begun = await run({ storage, stopAt: 1_000_000 })
    expect(hosted(begun).equals(content.subarray(0, 1_000_000))).toBe(true)
    expect(await run({ options: { url: begun.url }, stopAt: 2_000_000 })).toEqual(begun)
    expect(await run({ storage })).toEqual(begun)
    expect(hosted(begun).equals(content)).toBe(true)
  })

  it('tries again after its connection is lost', async () => {
    proxy.uploadCuts = [1_000_000, 1_000_000]
    const found = await run({ options: { retries: 50, retry_delay: 0.1 } })
    expect(proxy.uploadCuts).toEqual([])
    expect(hosted(found).equals(content)).toBe(true)
  })

  it('tries again while the service is busy', async () => {
    const held = new SlowPart(await begin(world.network.providerUrl, 10, auth), auth, 10)
    const { uploadsActive } = world.local.app.context.metrics
    await eventually(async () => (await uploadsActive.get()).values[0]?.value === 1)
    const statuses: number[] = []
    world.local.app.server.server.on('request', (_: IncomingMessage, response: ServerResponse) => {
      response.once('finish', () => {
        statuses.push(response.statusCode)
        if (response.statusCode === 503) held.end()
      })
    })
    expect(hosted(await run({ options: { retries: 50, retry_delay: 0.1 } })).equals(content)).toBe(true)
    expect(statuses).toContain(503)
  })

  it('has the reason of a refusal', async () => {
    const larger = join(folder, 'larger.csv')
    writeFileSync(larger, Buffer.alloc(3_000_001))
    const tooLarge = { status: 413, answer: { error: expect.stringContaining('3000000') } }
    expect(await run({ options: { file_path: larger } })).toMatchObject(tooLarge)
    const unknown = { status: 400, answer: { error: 'Token is invalid.' } }
    expect(await run({ headers: { AuthToken: 'x' } })).toMatchObject(unknown)
  })
})
