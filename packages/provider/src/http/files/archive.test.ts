import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { DistinctPaths } from '@tidegate/protocol/distinct-paths'
import { type OpenedFile, type StoredFile, safePath } from '@tidegate/storage'
import { unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { archiveLength, openArchive } from './archive.js'

type Part = Partial<OpenedFile> & { publicName?: string; text?: string }

/** Opens an archive of files in memory. */
const archived = (parts: Part[], open = (at: number) => Promise.resolve(openedOf(parts[at] as Part))) =>
  openArchive({ files: parts.map(fileOf), open, modified: new Date(1_700_000_000_000), name: 'a.zip' })
const fileOf = ({ publicName }: Part) => ({ type: 'url', ...(publicName ? { publicName } : {}) }) as StoredFile
function openedOf({ text = '', headers, ...rest }: Part): OpenedFile {
  const body = Readable.from(text === '' ? [] : [Buffer.from(text)])
  return { status: 200, headers: headers ?? { 'content-length': String(Buffer.byteLength(text)) }, body, ...rest }
}
/** The texts of an archive's files by their paths. */
async function read(parts: Part[]): Promise<Record<string, string>> {
  const files = unzipSync(await buffer((await archived(parts)).body))
  return Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, Buffer.from(bytes).toString()]))
}
const broken = async (parts: Part[], open?: Parameters<typeof archived>[1]) => {
  const { body } = await archived(parts, open)
  return buffer(body).then(
    () => 'complete',
    (error: Error) => error.message,
  )
}

describe('an archive', () => {
  it('holds files under the names of publisher, storage, or none', async () => {
    expect(
      await read([
        { publicName: 'tides/Höhe 潮.csv', text: 'one', name: 'other.csv' },
        { name: '../../etc/passwd', text: 'two' },
        { text: 'three', headers: { 'content-type': 'text/csv', 'content-length': '5' } },
        { publicName: 'empty.txt' },
      ]),
    ).toEqual({ 'tides/Höhe 潮.csv': 'one', passwd: 'two', 'file-2.csv': 'three', 'empty.txt': '' })
  })

  it('keeps files apart whose names clash (threat 105)', async () => {
    const names = [
      'a/x.csv',
      'A/X.CSV',
      'a',
      'a/x.csv/y',
      'e\u0301',
      'é',
      'file-7',
      undefined,
      '1-a/x.csv',
      'a/1-x.csv',
    ]
    const paths = Object.keys(await read(names.map((publicName) => ({ ...(publicName ? { publicName } : {}) }))))
    expect(paths.length).toBe(names.length)
    const folded = paths.map((path) => path.normalize('NFC').toLowerCase())
    expect(new Set(folded).size).toBe(paths.length)
    for (const one of folded) expect(folded.filter((path) => path.startsWith(`${one}/`))).toEqual([])
  })

  it('gives each of thousands of equal, deep names a path of its own, at once', () => {
    const paths = new DistinctPaths()
    const deep = `${'d/'.repeat(31)}x`
    const given = Array.from({ length: 10_000 }, (_, at) => paths.pathOf(at, at % 2 ? deep : `${at + 1}-x`))
    expect(new Set(given).size).toBe(given.length)
  })

  it('is cut off if a file fails, ends early or late, and never valid', async () => {
    const good = { publicName: 'good', text: 'good' }
    const failing = new Readable({ read: () => failing.destroy(new Error('gone')) })
    expect(await broken([good, { body: failing, headers: {} }])).toBe('gone')
    expect(await broken([good, { text: 'abc', headers: { 'content-length': '4' } }])).toContain(
      'unexpected number of bytes',
    )
    expect(await broken([good, { text: 'abc', headers: { 'content-length': '2' } }])).toContain(
      'unexpected number of bytes',
    )
    const refused = (at: number) => (at === 1 ? Promise.reject(new Error('refused')) : Promise.resolve(openedOf(good)))
    expect(await broken([good, good], refused)).toBe('refused')
    // before the first byte it is an error of its own
    await expect(archived([good], () => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  })

  it('reads one file at a time, as its reader does, and lets go of it if the reader leaves', async () => {
    const opened: OpenedFile[] = []
    const endless = () => {
      const file = openedOf({
        headers: {},
        body: new Readable({
          read(size) {
            this.push(Buffer.alloc(size))
          },
        }),
      })
      opened.push(file)
      return Promise.resolve(file)
    }
    const { body } = await archived([{}, {}], endless)
    await new Promise((resolve) => body.once('readable', resolve))
    await new Promise((resolve) => setImmediate(resolve))
    expect(opened.length).toBe(1)
    body.destroy()
    await new Promise((resolve) => body.once('close', resolve))
    expect(opened[0]?.body.destroyed).toBe(true)
  })

  it.each([0, 1, 49, 50, 700])('has the length that was told before, with %i long names', async (count) => {
    const long = (at: number) => `${`${'é'.repeat(120)}/`.repeat(4)}${at}`
    const parts = Array.from({ length: count }, (_, at): Part => ({ publicName: long(at), text: 'x'.repeat(at % 5) }))
    parts.push({ text: 'y', name: 'named.csv' })
    const described = parts.map(({ text = '', name }) => ({
      ...{ valid: true, contentLength: text.length },
      ...(name ? { name } : {}),
    }))
    const { length } = await buffer((await archived(parts)).body)
    expect(archiveLength(parts.map(fileOf), described)).toBe(length)
    expect(archiveLength(parts.map(fileOf), [{ valid: false }, ...described.slice(1)])).toBeUndefined()
  })

  it('counts bytes by the publisher who hosts them', async () => {
    const archive = await archived([{ text: 'four', hostedBy: 'a' }, { text: 'sixsix', hostedBy: 'a' }, { text: 'x' }])
    await buffer(archive.body)
    expect([...archive.bytes]).toEqual([
      ['a', 10],
      [undefined, 1],
    ])
  })
})

describe('a safe path', () => {
  it.each([
    ['a/b.csv', 'a/b.csv'],
    ['.github/x', 'github/x'],
    ['...', ''],
    ['a/ /b', 'a/b'],
    ['con/aux.txt', '_con/_aux.txt'],
    ['a/..b', 'a/b'],
    ['\u202e', ''],
  ])('of %j', (name, path) => {
    expect(safePath(name)).toBe(path)
  })
})
