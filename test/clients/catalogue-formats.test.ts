import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../helpers/cleanup.js'
import { dataPython } from '../helpers/python.js'
import { World } from '../helpers/world.js'

const python = dataPython() as string
const PROGRAM = fileURLToPath(new URL('catalogue/read.py', import.meta.url))

/** Ends elements, data blocks and IRIs, and changes direction. */
const HOSTILE = '</script><b>"\'&lt;]]> <>{}|\\^`\u202e\u2028#? \ud800'

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

  it('is valid Croissant and DCAT-AP, whatever publishers write', async () => {
    const assets = [
      await publish({ name: 'Tide tables', license: 'CC-BY-4.0', author: 'Harbour', tags: ['sea', 'water'] }, 3),
      await publish({ name: HOSTILE, description: HOSTILE, author: HOSTILE, license: HOSTILE, tags: [HOSTILE, ''] }),
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
    expect(read).toMatchObject([
      { name: 'Tide tables', wrong: [], problems: [], files: [['0/tides.csv', null, null], {}, {}] },
      { wrong: [], problems: [] },
      { name: 'x', wrong: [], problems: [] },
    ])
  })
})
