import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../helpers/cleanup.js'
import { dataPython } from '../helpers/python.js'
import { ask } from '../helpers/requests.js'
import { tokenOf, upload } from '../helpers/uploads.js'
import { World } from '../helpers/world.js'

const python = dataPython() as string
const PROGRAM = fileURLToPath(new URL('catalogue/read.py', import.meta.url))

/** Ends elements, data blocks and IRIs, and changes direction. */
const HOSTILE = '</script><b>"\'&lt;]]> <>{}|\\^`\u202e\u2028#? \ud800'

const SAMPLE = Buffer.from('hour,level\n0,1\n')
const SHA_256 = createHash('sha256').update(SAMPLE).digest('hex')

/** The public catalogue, read by the tools of its formats: mlcroissant, rdflib and pyshacl with the shapes of DCAT-AP 3. */
describe.skipIf(!python)('the catalogue in Python', () => {
  const folder = newFolder()
  let world: World

  beforeAll(async () => {
    world = await World.start({ CATALOGUE: 'public' })
  })

  function publish(metadata: object, files = 1) {
    const url = world.storage.file('/tides.csv', Buffer.from('hour,level\n0,1.5\n'))
    return world.publish({
      files: Array.from({ length: files }, (_, at) => ({ type: 'url', url, method: 'GET', name: `${at}/tides.csv` })),
      adjust: (ddo) => Object.assign(ddo.metadata, metadata),
    })
  }

  /** Uploads a sample, and returns its URL. */
  async function publicSample(): Promise<string> {
    const base = world.network.providerUrl
    const auth = await tokenOf(base, await world.somebody())
    const metadata = { filename: 'first.csv', filetype: 'text/csv', public: '' }
    const uploaded = await upload(base, SAMPLE, auth, { metadata })
    return (await ask(uploaded, { headers: auth })).json.publicUrl as string
  }

  it('is valid Croissant and DCAT-AP, whatever publishers write', async () => {
    const sample = await publicSample()
    const assets = [
      await publish(
        { name: 'Tide tables', license: 'CC-BY-4.0', author: 'Harbour', tags: ['sea', 'water'], links: [sample] },
        3,
      ),
      await publish({
        name: HOSTILE,
        description: HOSTILE,
        author: HOSTILE,
        license: HOSTILE,
        tags: [HOSTILE, ''],
        updated: '+275760-09-13T00:00:00.000Z',
      }),
      await publish({ name: 'x', description: 'x'.repeat(90_000), license: 'https://example.org/licence?a=b&c=<d>' }),
    ]
    const { stdout } = await promisify(execFile)(
      python,
      ['-W', 'ignore', PROGRAM, world.network.providerUrl, ...assets.map(({ did }) => did)],
      {
        env: { PATH: process.env.PATH, HOME: folder, CROISSANT_CACHE: join(folder, 'croissant') },
        maxBuffer: 10_000_000,
      },
    )
    const { catalogue, assets: read } = JSON.parse(stdout)
    expect(catalogue).toMatchObject({ wrong: [], pages: 1 })
    expect(catalogue.titles).toHaveLength(3)
    expect(catalogue.titles).toContain('Tide tables')
    // a free file is loaded by its URL, and compared with its hash
    expect(Object.values(read[0].records)).toEqual([[{ 'sample-0-text/content': SAMPLE.toString() }]])
    expect(read).toMatchObject([
      {
        name: 'Tide tables',
        wrong: [],
        problems: [],
        files: [['0/tides.csv', null, null], {}, {}, ['first.csv', '15 B', SHA_256]],
      },
      { wrong: [], problems: [], records: {} },
      { name: 'x', wrong: [], problems: [] },
    ])
  })
})
