import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Database, Embedded } from '../../packages/provider/src/state/transfer/place.js'
import { runCommand } from '../helpers/command.js'
import { openHere, runHere } from '../helpers/command-here.js'
import { eventually } from '../helpers/eventually.js'
import { copyDump, startCommand, startNonceWriter, valueIn, WRITER_ADDRESS } from '../helpers/states.js'
import {
  COUNT,
  configured,
  copy,
  empty,
  filled,
  folder,
  full,
  killInTheMiddle,
  NONCES,
  put,
  state,
  urlOf,
  useStates,
  using,
} from './state-rig.js'

/** The commands that back up and restore a state with many nonces. */
describe('backups by tidegate state', () => {
  useStates()

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
      expect(made).toMatchObject({ status: 69, stderr: expect.stringContaining('its disk is full') })
      expect(readdirSync(disk)).toEqual([])
    } finally {
      spawnSync('umount', [disk])
    }
  })
})
