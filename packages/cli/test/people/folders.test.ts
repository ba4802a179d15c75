import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runHere } from '../../../../test/helpers/command-here.js'
import { type Home, makeHome } from '../../../../test/helpers/terminal.js'
import { World } from '../../../../test/helpers/world.js'
import { CuttingProxy } from '../../../client/test/cutting-proxy.js'

const TREE: Record<string, string> = {
  '.hidden': 'hidden',
  'Höhe 潮.txt': 'unicode',
  'a/x.csv': 'of a',
  'b/c/x.csv': 'hour,height\n'.repeat(40_000),
  'b/x.csv': 'of b',
}

/** The same as a buyer gets it: no name is hidden. */
const GOT = Object.fromEntries(Object.entries(TREE).map(([name, content]) => [name.replace(/^\./, ''), content]))

const MANIFEST = '.tidegate.jsonl'

describe('a folder', () => {
  let world: World
  let proxy: CuttingProxy
  let home: Home
  let did: string
  beforeAll(async () => {
    world = await World.start()
    proxy = await CuttingProxy.before(world.network.providerUrl)
    home = makeHome()
    for (const [name, content] of Object.entries(TREE)) write(`tides/${name}`, content)
  })
  afterAll(async () => {
    proxy.close()
    await world.close()
    home.remove()
  })

  const at = (name: string) => join(home.folder, name)
  function write(name: string, content: string): void {
    mkdirSync(dirname(at(name)), { recursive: true })
    writeFileSync(at(name), content)
  }
  async function run(...args: string[]) {
    const here = { TIDEGATE_PROVIDER: proxy.url, TIDEGATE_RPC: world.network.rpcUrl, XDG_STATE_HOME: at('state') }
    const { status, stdout, stderr } = await runHere([...args, '--json'], { ...home.environment, ...here })
    return { status, stderr, answer: JSON.parse(stdout || '{}') }
  }
  const publish = (...more: string[]) => run('publish', '--name', 'Tides', '--free', '--account', '1', '--yes', ...more)
  const get = (...more: string[]) => run('get', did, '--account', '2', '--yes', ...more)
  /** Returns the files below a folder with their contents. */
  function tree(folder: string): Record<string, string> {
    const entries = readdirSync(at(folder), { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile())
    const files = entries.filter(({ name }) => name !== MANIFEST)
    const paths = files.map(({ parentPath, name }) => join(parentPath, name))
    return Object.fromEntries(paths.map((path) => [path.slice(at(folder).length + 1), readFileSync(path, 'utf8')]))
  }

  it('is published with its paths and media types, and got without hidden names (threat 105)', async () => {
    const published = await publish(at('tides'), '--hidden')
    expect(published.status, published.stderr).toBe(0)
    did = published.answer.did
    const { files } = (await run('show', did)).answer.services[0]
    expect(files.map(({ name, contentType }: Record<string, string>) => [name, contentType])).toEqual([
      ['.hidden', 'application/octet-stream'],
      ['Höhe 潮.txt', 'text/plain'],
      ['a/x.csv', 'text/csv'],
      ['b/c/x.csv', 'text/csv'],
      ['b/x.csv', 'text/csv'],
    ])
    mkdirSync(at('got'))
    const got = await get('--all', '-o', at('got'))
    expect(got.status, got.stderr).toBe(0)
    expect(tree('got')).toEqual(GOT)
    // completed files stay, the rest is got again
    rmSync(at('got/b'), { recursive: true })
    expect((await get('--all', '-o', at('got'))).answer.files).toHaveLength(2)
    expect(tree('got')).toEqual(GOT)
  })

  it('is got file by file, by their names', async () => {
    const one = await get('--file', 'b/c/x.csv', '-o', at('one.csv'))
    expect(one.answer, one.stderr).toMatchObject({ file: 3, bought: false })
    expect(readFileSync(at('one.csv'), 'utf8')).toBe(GOT['b/c/x.csv'])
    const { answer } = await run('link', did, '--file', 'b/c/x.csv', '--account', '2')
    expect(answer).toMatchObject({ file: 3, url: expect.stringMatching(/x\.csv$/) })
    const { price } = (await run('quote', did, '--file', 'b/x.csv', '--account', '2')).answer
    expect(price).toBeDefined()
    expect(await get('--file', 'b/y.csv')).toMatchObject({ status: 1, answer: { error: { code: 'NO_SUCH_FILE' } } })
  })

  it('is never written outside the target', async () => {
    for (const folder of ['outside', 'target']) mkdirSync(at(folder))
    symlinkSync(at('outside'), at('target/b'))
    const refused = await get('--all', '-o', at('target'))
    expect(refused).toMatchObject({ status: 1, answer: { error: { code: 'NO_FOLDER' } } })
    expect([readdirSync(at('outside')), tree('target')]).toEqual([[], {}])
  })

  it('is one archive, and a cut one is a failure that leaves no file', async () => {
    const got = await get('--archive', '-o', at('all.zip'))
    expect(got.answer, got.stderr).toMatchObject({ path: at('all.zip'), bought: false })
    execFileSync('python3', ['-m', 'zipfile', '-e', at('all.zip'), at('unzipped')])
    expect(tree('unzipped')).toEqual(GOT)
    proxy.cuts = [200_000]
    expect(await get('--archive', '-o', at('cut.zip'))).toMatchObject({
      status: 1,
      answer: { error: { code: 'BROKEN_OFF' } },
    })
    expect(readdirSync(home.folder).filter((name) => name.startsWith('cut'))).toEqual([])
    for (const wrong of [['--all'], ['--file', '1'], ['--sha256', '0'.repeat(64)]])
      expect((await get('--archive', '-o', at('wrong.zip'), ...wrong)).status).toBe(2)
    const linked = await run('link', did, '--archive', '--account', '2')
    expect(linked.answer).toMatchObject({ archive: true, url: expect.stringMatching(/\.zip$/) })
    const { headers, body } = await fetch(linked.answer.url)
    await body?.cancel()
    expect(headers.get('content-type')).toBe('application/zip')
    expect((await run('link', did, '--archive', '--file', '1', '--account', '2')).status).toBe(2)
  })

  it('has the types of files of data', async () => {
    writeFileSync(at('tides.parquet'), 'PAR1')
    const { answer } = await publish(at('tides.parquet'))
    const { files } = (await run('show', answer.did)).answer.services[0]
    expect(files).toMatchObject([{ contentType: 'application/vnd.apache.parquet' }])
  })

  it('can hide its names', async () => {
    const { answer } = await publish(at('tides/a'), at('tides/b/x.csv'), '--anonymous-files')
    const { files } = (await run('show', answer.did)).answer.services[0]
    expect(files.map(({ name }: Record<string, string>) => name)).toEqual([undefined, undefined])
    mkdirSync(at('numbered'))
    await run('get', answer.did, '--all', '-o', at('numbered'), '--account', '2', '--yes')
    expect(Object.keys(tree('numbered')).sort()).toEqual(['file-0.csv', 'file-1.csv'])
  })

  it('of an earlier version is never mixed with the next one, and made equal by --sync', async () => {
    const V1 = { 'a.csv': 'a', 'b.csv': 'b', 'c/d.csv': 'd', 'e/f.csv': 'f', h: 'h', 'i/j': 'j' }
    for (const [name, content] of Object.entries(V1)) write(`v1/${name}`, content)
    const { answer } = await publish(at('v1'))
    const asset = answer.did
    const all = (...more: string[]) =>
      run('get', asset, '--all', '-o', `${at('mine')}/`, '--account', '2', '--yes', ...more)
    const refused = async (code: string, message: RegExp, ...more: string[]) => {
      const before = tree('mine')
      const { answer, status } = await all(...more)
      expect({ status, ...answer.error }).toMatchObject({ status: 1, code, message: expect.stringMatching(message) })
      expect(tree('mine')).toEqual(before)
    }
    expect((await all()).answer).toMatchObject({ present: 0, removed: [] })
    // nothing changed: nothing is downloaded, or removed
    for (const sync of [[], ['--sync']])
      expect((await all(...sync)).answer).toMatchObject({ files: [], present: 6, removed: [] })
    // another b.csv, another name for c/d.csv, no e/f.csv; a file becomes a folder, and a folder a file
    const V2 = { 'a.csv': 'a', 'b.csv': 'b of now', 'c/moved.csv': 'd', 'g.csv': 'g', 'h/k': 'h', i: 'j' }
    for (const [name, content] of Object.entries(V2)) write(`v2/${name}`, content)
    const next = await run('update', asset, '--files', at('v2'), '--account', '1', '--yes')
    expect(next.status, next.stderr).toBe(0)
    const names = (await run('show', asset)).answer.services[0].files.map(({ name }: { name: string }) => name)
    expect(names).toEqual(Object.keys(V2))
    await refused(
      'FOLDER_DIFFERS',
      /version .*: 4 files new, 1 file changed \(b\.csv\), 4 files gone \(c\/d\.csv, e\/f\.csv, h and 1/,
    )
    // own changes are not lost
    writeFileSync(at('mine/b.csv'), 'my notes')
    await refused('FILE_EXISTS', /\(b\.csv\)\. --force replaces it/, '--sync')
    writeFileSync(at('mine/own.txt'), 'not of the asset')
    writeFileSync(at('mine/e/f.csv'), 'mine too')
    const synced = await all('--sync', '--force')
    expect(synced.answer, synced.stderr).toMatchObject({ removed: ['c/d.csv', 'h', 'i/j'] })
    expect(synced.stderr).toContain('e/f.csv stays: it was changed here')
    expect(tree('mine')).toEqual({ ...V2, 'own.txt': 'not of the asset', 'e/f.csv': 'mine too' })
    expect((await all()).answer).toMatchObject({ files: [], present: 6 })
  })

  it('is moved and not downloaded again, and its manifest reaches no other place', async () => {
    const FILES = { 'a.csv': 'a', 'b/c.csv': 'c' }
    for (const [name, content] of Object.entries(FILES)) write(`once/${name}`, content)
    const { answer } = await publish(at('once'))
    const all = (...more: string[]) =>
      run('get', answer.did, '--all', '-o', `${at('kept')}/`, '--account', '2', '--yes', ...more)
    expect((await all()).status).toBe(0)
    const lines = readFileSync(at(`kept/${MANIFEST}`), 'utf8')
      .split('\n')
      .filter(Boolean)
    const entries = lines.map((line) => JSON.parse(line))
    expect(entries.map(({ path, bytes }) => [path, bytes])).toEqual([
      ['a.csv', 1],
      ['b/c.csv', 1],
    ])
    // as if b/c.csv had another path before, whose folder nothing else needs; and a stranger had sent the folder
    write('victim.txt', 'x')
    write('kept/old/name.csv', 'c')
    rmSync(at('kept/b'), { recursive: true })
    const [a, c] = entries
    const hostile = ['../victim.txt', at('victim.txt'), '../once/a.csv', '.tidegate.jsonl', ''].map((path) => ({
      ...a,
      path,
    }))
    const wrong = [{ ...c, path: 'old/name.csv' }, ...hostile, { ...a, bytes: 'many' }, null, [], 7].map((one) =>
      JSON.stringify(one),
    )
    writeFileSync(at(`kept/${MANIFEST}`), [lines[0], ...wrong, '{"did":', ''].join('\n'))
    const synced = await all('--sync')
    expect(synced.answer, synced.stderr).toMatchObject({ files: [], present: 2, removed: ['old/name.csv'] })
    expect([tree('kept'), existsSync(at('kept/old')), existsSync(at('victim.txt'))]).toEqual([FILES, false, true])
  })

  it('that cannot be published is refused before anything is uploaded', async () => {
    const uploads = proxy.uploads
    symlinkSync(at('tides/a/x.csv'), at('tides/a/link'))
    const linked = await publish(at('tides'))
    expect(linked.stderr).toContain(`${at('tides/a/link')}: is a symbolic link`)
    rmSync(at('tides/a/link'))
    const same = await publish(at('tides/a'), at('tides/b'))
    expect(same.answer.error).toMatchObject({ code: 'BAD_NAME', message: expect.stringContaining('x.csv: two files') })
    expect([linked.status, same.status, proxy.uploads]).toEqual([2, 1, uploads])
  })

  it('that changes meanwhile ends the command before its first transaction', async () => {
    const before = await world.provider.getBlockNumber()
    let changed = false
    proxy.onPart = () => {
      if (changed) return
      changed = true
      writeFileSync(at('tides/b/x.csv'), 'longer than before')
    }
    const refused = await publish(at('tides'))
    proxy.onPart = () => undefined
    expect(refused).toMatchObject({ status: 1, answer: { error: { code: 'FILE_CHANGED' } } })
    expect([changed, existsSync(at('tides/b/x.csv'))]).toEqual([true, true])
    expect(await world.provider.getBlockNumber()).toBe(before)
  })

  it('keeps its unchanged files in a new version, which are neither uploaded nor downloaded again (P1)', async () => {
    for (const [name, content] of Object.entries(TREE)) write(`tides/${name}`, content)
    const before = (await run('show', did)).answer.services[0].files as Record<string, string>[]
    const update = () => run('update', did, '--files', at('tides'), '--hidden', '--account', '1', '--yes')
    write('tides/a/x.csv', 'of a, and more')
    write('tides/new.txt', 'new')
    rmSync(at('tides/b/x.csv'))
    const { status, stderr } = await update()
    expect(status, stderr).toBe(0)
    expect(stderr).toMatch(/added +1: new\.txt\n.*removed +1: b\/x\.csv\n/s)
    expect(stderr.match(/uploaded: /g)).toHaveLength(2)
    const after = (await run('show', did)).answer.services[0].files as Record<string, string>[]
    const idOf = (files: Record<string, string>[], name: string) => files.find((one) => one.name === name)?.id
    for (const name of ['.hidden', 'Höhe 潮.txt', 'b/c/x.csv']) expect(idOf(after, name), name).toBe(idOf(before, name))
    expect(idOf(after, 'a/x.csv')).not.toBe(idOf(before, 'a/x.csv'))
    const got = await get('--all', '-o', at('got'), '--sync')
    expect(got.status, got.stderr).toBe(0)
    expect(got.answer.files, got.stderr).toHaveLength(2)
    const { 'b/x.csv': _, ...rest } = GOT
    expect(tree('got')).toEqual({ ...rest, 'a/x.csv': 'of a, and more', 'new.txt': 'new' })
    // bytes of present files under the names of others are a change, not the same
    write('tides/a/x.csv', 'new')
    write('tides/new.txt', 'of a, and more')
    const swapped = await update()
    expect(swapped.stderr).not.toContain('uploaded: ')
    const names = (files: Record<string, string>[]) => ['a/x.csv', 'new.txt'].map((name) => idOf(files, name))
    const turned = (await run('show', did)).answer.services[0].files as Record<string, string>[]
    expect(names(turned)).toEqual(names(after).reverse())
    expect((await get('--all', '-o', at('got'), '--sync')).status).toBe(0)
    expect(tree('got')).toEqual({ ...rest, 'a/x.csv': 'new', 'new.txt': 'of a, and more' })
    const replaced = await run('update', did, '--replace', `new.txt=${at('tides/new.txt')}`, '--account', '1', '--yes')
    expect(replaced.stderr).not.toContain('uploaded: ')
    expect(names((await run('show', did)).answer.services[0].files)).toEqual(names(turned))
  })
})
