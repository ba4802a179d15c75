import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Driver } from '../../packages/database/src/sql.js'
import { type Database, type Embedded, openExclusive } from '../../packages/provider/src/state/transfer/place.js'
import { PG_PASSWORD, type PostgresBackend, startPostgres } from '../helpers/backends.js'
import { program, runCommand } from '../helpers/command.js'
import { openHere, runHere } from '../helpers/command-here.js'
import { eventually } from '../helpers/eventually.js'
import { page } from '../helpers/pages.js'
import { sized } from '../helpers/sizes.js'
import {
  copyDump,
  fillNonces,
  onPostgres,
  type Running,
  SETTINGS_ALONE,
  startCommand,
  startNonceWriter,
  valueIn,
  WRITER_ADDRESS,
} from '../helpers/states.js'

/** More than the rows of ten batches. */
const NONCES = sized(8_000, 100_000)
const KINDS = ['embedded', 'postgres'] as const
const DIRECTIONS = [
  ['embedded', 'postgres'],
  ['postgres', 'embedded'],
  ['postgres', 'postgres'],
] as const

const COUNT = 'SELECT count(*) AS n FROM nonces'
const IS_UNFINISHED = `SELECT count(*) AS n FROM identity WHERE role = 'copying'`

/** The commands that copy, back up, restore and check a state with many nonces. */
describe('tidegate state', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  const full: Record<string, Database> = {}
  let server: PostgresBackend
  let at = 0

  beforeAll(async () => {
    server = await startPostgres()
    for (const kind of KINDS) {
      full[kind] = await empty(kind)
      await using(full[kind], (db) => fillNonces(db, NONCES))
    }
  })
  afterAll(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  })

  /** A new database: empty, or on PostgreSQL a copy of a template. */
  async function empty(kind: Database['kind'], template?: string): Promise<Database> {
    const name = `db_${++at}`
    if (kind === 'embedded') return { kind, folder: join(folder, name) }
    await onPostgres(server.url(), `CREATE DATABASE ${name} ${template ? `TEMPLATE ${template}` : ''}`)
    return { kind, url: server.url(name) }
  }
  /** A copy of the full database, as another state with the same rows. */
  async function filled(kind: Database['kind']): Promise<Database> {
    const place = await empty(kind, kind === 'postgres' ? new URL(urlOf(full[kind])).pathname.slice(1) : undefined)
    if (place.kind === 'embedded')
      cpSync((full.embedded as { folder: string }).folder, place.folder, { recursive: true })
    return place
  }
  async function using(place: Database, work: (db: Driver) => Promise<unknown>): Promise<void> {
    const db = await openExclusive(place)
    await work(db)
    await db.close()
  }
  const urlOf = (place: Database | undefined) => (place?.kind === 'postgres' ? place.url : `sqlite:${place?.folder}`)
  const configured = (place: Database) => ({
    ...SETTINGS_ALONE,
    ...(place.kind === 'postgres'
      ? { DATABASE_URL: place.url, STATE_DIR: join(folder, 'none') }
      : { STATE_DIR: place.folder }),
  })
  const copyArgs = (from: Database, to: Database) => ['state', 'copy', '--from', urlOf(from), '--to', urlOf(to)]
  const copy = (from: Database, to: Database, ...more: string[]) => runHere([...copyArgs(from, to), ...more], {})
  const state = (place: Database, ...args: string[]) => runHere(['state', ...args], configured(place))
  const put = (place: Database, address: string, nonce: number) =>
    using(place, (db) =>
      db.query({ text: 'INSERT INTO nonces VALUES (?, ?)', values: [address, String(nonce).padStart(40, '0')] }),
    )
  /**
   * Begins a command that fills a database, and kills it when rows have arrived. Where it was done by then, it begins
   * anew with other databases.
   */
  async function killInTheMiddle<T extends { to: Database }>(
    prepare: () => Promise<T>,
    begin: (places: T) => Running,
  ): Promise<T> {
    for (;;) {
      const places = await prepare()
      const running = begin(places)
      await untilRows(places.to)
      await running.kill()
      if (Number(await valueIn(places.to, IS_UNFINISHED)) === 1) return places
    }
  }

  /** Waits for the first rows of a copy, on one connection: each look must take less than a batch. */
  async function untilRows(place: Database): Promise<void> {
    if (place.kind === 'embedded')
      return eventually(async () => Number(await valueIn(place, COUNT).catch(() => 0)) > 0, undefined, 2)
    const client = new pg.Client({ connectionString: place.url })
    await client.connect()
    const rows = () => client.query('SELECT 1 FROM nonces LIMIT 1').catch(() => ({ rowCount: 0 }))
    await eventually(async () => (await rows()).rowCount === 1, undefined, 2).finally(() => client.end())
  }

  it.each(DIRECTIONS)('copies %s to %s after a kill -9 in the middle, and retires the source', async (one, other) => {
    const { from, to } = await killInTheMiddle(
      async () => ({ from: await filled(one), to: await empty(other) }),
      (places) => startCommand(copyArgs(places.from, places.to)),
    )
    expect((await state(to, 'check')).stdout).toMatch(/^FAIL {2}identity: .* an unfinished copy of/m)
    const started = await openHere(configured(to))
    expect(started).toMatchObject({ status: 2, stderr: expect.stringContaining('holds an unfinished copy of a state') })
    const copied = await copy(from, to)
    expect(copied).toMatchObject({ status: 0, stderr: '' })
    expect(copied.stdout).toMatch(new RegExp(`^nonces: ${NONCES} rows \\(\\d+ written\\)$`, 'm'))
    expect(copied.stdout + copied.stderr).not.toContain(PG_PASSWORD)
    expect(await valueIn(to, COUNT)).toBe(NONCES)
    const [checked, left] = await Promise.all([state(to, 'check'), state(from, 'check')])
    expect(checked).toMatchObject({ status: 0, stdout: expect.stringContaining(`ok    nonces: ${NONCES} rows\n`) })
    expect(left).toMatchObject({ status: 1, stdout: expect.stringMatching(/^FAIL {2}identity: .* must not be used/m) })
    expect((await copy(from, to)).stdout).toMatch(/^it was copied already\n/)
  })

  it.each([
    ['embedded', 'postgres'],
    ['postgres', 'embedded'],
  ] as const)('copies %s to %s while nonces are accepted, and loses none of them', async (one, other) => {
    const [from, to] = [await filled(one), await empty(other)]
    const writer = await startNonceWriter(from.kind === 'postgres' ? from.url : from.folder)
    const refused = await copy(from, to)
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/in use: stop .* or copy with --online\.$/m),
    })
    const running = startCommand([...copyArgs(from, to), '--online'])
    await eventually(() => running.output().includes('caught up. Stop every instance'))
    const before = writer.last()
    await eventually(() => writer.last() > before)
    await writer.kill()
    expect(await running.ended, running.output()).toBe(0)
    expect(running.output()).toContain(`nonces: ${NONCES + 1} rows (1 written)\n`)
    const nonce = `SELECT nonce FROM nonces WHERE address = '${WRITER_ADDRESS}'`
    const [there, here] = await Promise.all([valueIn(to, nonce), valueIn(from, nonce)])
    expect(there).toBe(here)
    expect(String(there) >= writer.last()).toBe(true)
    const used = await runCommand(['start'], configured(from))
    expect(used).toMatchObject({ status: 2, stderr: expect.stringContaining('was moved to') })
  })

  it('refuses a destination that holds another state, and a source that is not the last one (threat 66)', async () => {
    const [first, second, third] = [await empty('embedded'), await empty('postgres'), await empty('embedded')]
    await put(first, 'a', 1)
    await put(second, 'b', 2)
    const other = await copy(first, second)
    expect(other).toMatchObject({ status: 2, stderr: expect.stringContaining('holds another state') })
    expect(await valueIn(second, COUNT)).toBe(1)
    expect((await copy(first, third)).status).toBe(0)
    expect((await state(first, 'backup', join(folder, 'moved.sqlite'))).stderr).toContain('back up that one')
    expect((await copy(first, await empty('postgres'))).stderr).toContain('was moved to another database than this one')
    // copying back is allowed, since the first database is by now an earlier copy of the third
    await put(third, 'c', 3)
    expect(await copy(third, first)).toMatchObject({ status: 0, stderr: '' })
    expect(await valueIn(first, COUNT)).toBe(2)
    // a folder that belongs to another installation
    writeFileSync(join((first as { folder: string }).folder, 'state.json'), '{"database":"postgres","id":"elsewhere"}')
    expect((await copy(first, await empty('embedded'))).stderr).toContain('is neither of the two')
  })

  it('refuses a source that is missing or empty, and creates nothing', async () => {
    const [from, to] = [await empty('embedded'), await empty('embedded')] as { kind: 'embedded'; folder: string }[]
    if (!from || !to) throw new Error('no databases')
    expect(await copy(from, to)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('does not exist or is empty'),
    })
    expect(existsSync(from.folder) || existsSync(to.folder)).toBe(false)
    expect((await copy(from, from)).stderr).toContain('both the source and the destination')
    expect((await state(from, 'backup', join(folder, 'nothing.sqlite'))).stderr).toContain('does not exist or is empty')
    expect((await state(to, 'restore', join(folder, 'nothing.sqlite'))).stderr).toContain(
      'nothing.sqlite does not exist',
    )
    expect(existsSync(join(folder, 'nothing.sqlite'))).toBe(false)
  })

  it('takes databases from the environment and from files, and never shows a password', async () => {
    const [from, to] = [await empty('embedded'), await empty('postgres')]
    await put(from, 'a', 1)
    const file = join(folder, 'url')
    writeFileSync(file, `${urlOf(to)}\n`)
    const copied = await runCommand(['state', 'copy'], { COPY_FROM: urlOf(from), COPY_TO_FILE: file })
    expect(copied).toMatchObject({ status: 0, stderr: '' })
    const wrong = server.url('nowhere').replace(PG_PASSWORD, 'hunter2')
    const away = 'postgres://somebody:hunter2@127.0.0.1:1/away'
    for (const url of [wrong, away, `mysql://somebody:hunter2@host/db`, 'postgres://hunter2:hunter2@:x/']) {
      for (const args of [
        ['--from', url, '--to', `sqlite:${folder}/new`],
        ['--from', urlOf(to), '--to', url],
      ]) {
        const { status, stdout, stderr } = await runHere(['state', 'copy', ...args], {})
        expect(status).toBe(2)
        expect(stderr).toMatch(/^tidegate: (the PostgreSQL database 127|--(from|to): must be)/)
        expect(stdout + stderr).not.toContain('hunter2')
      }
    }
  })

  it('backs up while nonces are accepted, after a kill -9 in the middle', async () => {
    const from = (await filled('embedded')) as Embedded
    const writer = await startNonceWriter(from.folder)
    const place = join(folder, 'backups')
    mkdirSync(place)
    const file = join(place, 'backup.sqlite')
    const partial = () => readdirSync(place).some((name) => /\.partial-\w{6}$/.test(name))
    for (;;) {
      const running = startCommand(['state', 'backup', file], configured(from))
      let isDone = false
      void running.ended.then(() => {
        isDone = true
      })
      await eventually(() => partial() || isDone, undefined, 1)
      await running.kill()
      if (!existsSync(file)) break
      rmSync(file) // it ended before it could be killed
    }
    const before = writer.last()
    const made = await state(from, 'backup', file)
    expect(made).toMatchObject({ status: 0, stderr: '' })
    await writer.kill()
    expect(readdirSync(place)).toEqual(['backup.sqlite'])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const checked = await runHere(['state', 'check', file], {})
    expect(checked).toMatchObject({ status: 0, stdout: expect.stringContaining(`ok    nonces: ${NONCES + 1} rows\n`) })
    const kept = await valueIn(
      { kind: 'file', path: file },
      `SELECT nonce FROM nonces WHERE address = '${WRITER_ADDRESS}'`,
    )
    expect(String(kept) >= before && String(kept) <= writer.last()).toBe(true)
    const again = await state(from, 'backup', file)
    expect(again).toMatchObject({ status: 2, stderr: expect.stringContaining('replace it with --force') })
    expect((await state(from, 'backup', file, '--force')).status).toBe(0)
  })

  it('restores a backup, after a kill -9 in the middle', async () => {
    const from = await filled('embedded')
    const file = join(folder, 'restored.sqlite')
    expect(await state(from, 'backup', file)).toMatchObject({ status: 0, stderr: '' })
    const { to } = await killInTheMiddle(
      async () => ({ to: await empty('embedded') }),
      (place) => startCommand(['state', 'restore', file], configured(place.to)),
    )
    expect((await openHere(configured(to))).stderr).toContain('holds an unfinished copy of a state')
    const begun = Date.now()
    const restored = await state(to, 'restore', file)
    expect(restored).toMatchObject({ status: 0, stderr: '' })
    expect(restored.stdout).toMatch(/^cut-over: .*\n[\s\S]*could be used again/m)
    expect(await valueIn(to, COUNT)).toBe(NONCES)
    expect(Number(await valueIn(to, 'SELECT at FROM cut_over'))).toBeGreaterThanOrEqual(begun)
    expect(await state(to, 'check')).toMatchObject({ status: 0, stderr: '' })
    const again = await state(to, 'restore', file)
    expect(again).toMatchObject({ status: 2, stderr: expect.stringContaining('replace that with --force') })
  })

  it('restores over a newer state with --force alone, and lowers no nonce', async () => {
    const place = (await empty('embedded')) as Embedded
    await put(place, 'a', 1)
    const file = join(folder, 'older.sqlite')
    expect((await state(place, 'backup', file)).status).toBe(0)
    await using(place, async (db) => {
      await db.query({ text: `UPDATE nonces SET nonce = '${'7'.padStart(40, '0')}'`, values: [] })
      await db.query({ text: `INSERT INTO revocations VALUES ('jti', 5)`, values: [] })
      await db.query({ text: `INSERT INTO proven VALUES ('later')`, values: [] })
    })
    const writer = await startNonceWriter(place.folder)
    expect((await state(place, 'restore', file, '--force')).stderr).toContain('it is in use: stop the service')
    await writer.kill()
    expect((await state(place, 'restore', file)).stderr).toContain('holds a state')
    const forced = await state(place, 'restore', file, '--force')
    expect(forced).toMatchObject({ status: 0, stderr: '' })
    expect(await valueIn(place, `SELECT nonce FROM nonces WHERE address = 'a'`)).toBe('7'.padStart(40, '0'))
    expect(await valueIn(place, 'SELECT count(*) AS n FROM revocations')).toBe(1)
    expect(await valueIn(place, 'SELECT count(*) AS n FROM proven')).toBe(0)
  })

  it('names the tools of PostgreSQL for its backups', async () => {
    const file = join(folder, 'postgres.sqlite')
    const [made, brought] = [
      await state(full.postgres as Database, 'backup', file),
      await state(full.postgres as Database, 'restore', file),
    ]
    expect(made).toMatchObject({ status: 2, stderr: expect.stringMatching(/back up PostgreSQL with pg_dump\.$/m) })
    expect(brought).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/with pg_restore, then run `tidegate state restored`/),
    })
    expect(existsSync(file)).toBe(false)
  })

  it('uses a dump of PostgreSQL after `state restored` alone, which raises the cut-over (threats 8, 66)', async () => {
    const [from, to] = [await filled('postgres'), await empty('postgres')]
    await copyDump(urlOf(from), urlOf(to))
    const refused = await openHere(configured(to))
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('was restored from a dump') })
    const copied = await copy(to, await empty('embedded'))
    expect(copied).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('run `tidegate state restored` on it first'),
    })
    const writer = await startNonceWriter(urlOf(to))
    expect((await state(to, 'restored')).stderr).toContain('it is in use: stop the service')
    await writer.kill()
    const begun = Date.now()
    // the sessions of a process that was killed end when PostgreSQL notices it
    let restored = await state(to, 'restored')
    await eventually(async () => {
      if (restored.status !== 0) restored = await state(to, 'restored')
      return restored.status === 0
    })
    expect(restored).toMatchObject({ status: 0, stderr: '' })
    expect(restored.stdout).toMatch(/^cut-over: .*\n[\s\S]*could be used again/m)
    expect(Number(await valueIn(to, 'SELECT at FROM cut_over'))).toBeGreaterThanOrEqual(begun)
    const id = (place: Database) => valueIn(place, `SELECT id FROM identity WHERE role = 'self'`)
    expect(await id(to)).not.toBe(await id(from))
    expect(await valueIn(to, `SELECT id FROM identity WHERE role = 'contained'`)).toBe(await id(from))
    expect((await openHere(configured(to))).stderr).not.toContain('was restored from a dump')
    // the same after another dump
    const next = await empty('postgres')
    await copyDump(urlOf(to), urlOf(next))
    expect((await openHere(configured(next))).stderr).toContain('was restored from a dump')
  })

  it('refuses a file that is no backup, is damaged or belongs to another installation', async () => {
    const [place, other] = [await empty('embedded'), await empty('embedded')] as { kind: 'embedded'; folder: string }[]
    if (!place || !other) throw new Error('no databases')
    await put(place, 'a', 1)
    const file = join(folder, 'mine.sqlite')
    expect((await state(place, 'backup', file)).status).toBe(0)
    const text = join(folder, 'text.sqlite')
    writeFileSync(text, 'no database'.repeat(1000))
    expect((await state(other, 'restore', text)).stderr).toMatch(/cannot be used: it is damaged \(SQLITE_NOTADB\)/)
    expect(await runHere(['state', 'check', text], {})).toMatchObject({ status: 2 })
    mkdirSync(other.folder, { recursive: true })
    writeFileSync(join(other.folder, 'state.json'), '{"database":"embedded","id":"elsewhere"}')
    const foreign = await state(other, 'restore', file)
    expect(foreign).toMatchObject({ status: 2, stderr: expect.stringContaining('is not that of') })
    expect((await state(other, 'restore', file, '--force')).status).toBe(0)
  })

  it.each(KINDS)('finds rows of %s that contradict each other', async (kind) => {
    const place = await empty(kind)
    await put(place, 'a', 1)
    expect((await state(place, 'check')).status).toBe(0)
    await using(place, async (db) => {
      await db.query({ text: `INSERT INTO nonces VALUES ('b', '12')`, values: [] })
      await db.query({ text: `INSERT INTO index_cursor (chain_id, block, hash) VALUES (5, 1, '0x')`, values: [] })
      await db.query({ text: `INSERT INTO search_value (doc, path, n) VALUES (1, 1, 1)`, values: [] })
    })
    const { status, stdout } = await state(place, 'check')
    expect(status).toBe(1)
    expect(stdout.split('\n').filter((line) => line.startsWith('FAIL'))).toEqual([
      'FAIL  nonces: 1 are no nonces',
      'FAIL  rows of index_cursor without a reading of the chain: 1',
      'FAIL  search rows without a document: 1',
    ])
  })

  it('runs as documented on the page for operators', async () => {
    const printed = page('docs/operations.md')
      .blocks.filter(({ language }) => language === 'sh')
      .flatMap(({ text }) => text.trim().split('\n'))
      .filter((line) => line.startsWith('tidegate state '))
    const [local, remote] = [await empty('embedded'), await empty('postgres')]
    const [kept, fresh] = [await empty('embedded'), await empty('embedded')]
    for (const place of [local, kept]) await put(place, 'a', 1)
    const cwd = join(folder, 'as-printed')
    mkdirSync(cwd)
    const both = { ...configured(local), DATABASE_URL: urlOf(remote) }
    const ran: string[] = []
    for (const line of printed) {
      // a restore needs an empty database, which the check that follows then reads
      const isRestored = line.includes('restore ') || line.endsWith('check')
      const isEmbedded = isRestored || / (backup|check) /.test(line)
      const place = configured(isRestored ? fresh : kept)
      const env = { PATH: process.env.PATH, ...(isEmbedded ? place : both) }
      const { status, stdout, stderr } = await ranAsPrinted(line, cwd, env)
      expect([line, status, stderr], stdout).toEqual([line, 0, ''])
      ran.push(line.replace(/^tidegate state (\w+).*$/, '$1'))
      expect(stdout).not.toBe('')
    }
    expect(ran).toEqual(['copy', 'copy', 'backup', 'check', 'restore', 'check', 'restored'])
    expect(await valueIn(fresh, COUNT)).toBe(1)
  })

  /**
   * Runs a printed line in a shell: the first of each command as a process, the others in this one, with what the shell
   * makes of them.
   */
  const printedBefore = new Set<string>()
  async function ranAsPrinted(line: string, cwd: string, env: Record<string, string | undefined>) {
    const [, command = ''] = /^tidegate (state \w+)/.exec(line) ?? []
    const isFirst = !printedBefore.has(command)
    printedBefore.add(command)
    const started = isFirst ? program() : ['-p', 'JSON.stringify([process.argv.slice(1),process.env])', '--']
    const text = line.replace(/^tidegate/, [process.execPath, ...started.map((word) => `'${word}'`)].join(' '))
    const ended = spawnSync('sh', ['-c', text], { cwd, env, encoding: 'utf8' })
    if (isFirst || ended.status !== 0) return ended
    const [args, environment] = JSON.parse(ended.stdout) as [string[], Record<string, string>]
    const before = process.cwd()
    process.chdir(cwd)
    return runHere(args, environment).finally(() => process.chdir(before))
  }

  const canMount = process.getuid?.() === 0 && spawnSync('mount', ['--version']).status === 0
  if (!canMount) console.warn('SKIPPED: backups on a full disk. It takes root to mount a small one.')
  const itOnDisk = canMount ? it : undefined
  itOnDisk?.('leaves no partial backup when the disk is full', async () => {
    const disk = join(folder, 'disk')
    mkdirSync(disk)
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]).status !== 0)
      return console.warn('SKIPPED: a full disk. None can be mounted here.')
    try {
      // as a process: closed files are kept open until they are collected, and the disk with them
      const made = await runCommand(
        ['state', 'backup', join(disk, 'backup.sqlite')],
        configured(full.embedded as Database),
      )
      expect(made).toMatchObject({ status: 2, stderr: expect.stringContaining('its disk is full') })
      expect(readdirSync(disk)).toEqual([])
    } finally {
      spawnSync('umount', [disk])
    }
  })
})
