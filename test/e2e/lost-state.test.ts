import { spawnSync } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { DATABASE_FILE } from '../../packages/database/src/sqlite/sqlite-file.js'
import { providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { openSqliteStore } from '../../packages/provider/src/state/sqlite.js'
import { runCommand } from '../helpers/command.js'
import { openHere, runHere } from '../helpers/command-here.js'
import { eventually } from '../helpers/eventually.js'
import { startInstance } from '../helpers/instance.js'
import { ask, createToken, freshNonce } from '../helpers/requests.js'
import { type Said, type Service, startHere } from '../helpers/service-here.js'
import { World } from '../helpers/world.js'

const KEY = providerKey(`0x${'44'.repeat(32)}`)

/** A service whose embedded database is lost, damaged or full. */
describe('a service whose state', () => {
  let world: World
  let instance: Service | undefined
  /** What it logs. */
  let said: () => Said[]
  let state: string
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  let at = 0

  beforeAll(async () => {
    world = await World.start()
    // the snapshot of the chain may be old, and then doctor waits for a block
    await world.rpc('evm_mine')
    state = join(folder, 'used')
    await start()
    expect((await consume()).status).toBe(200)
    await instance?.end()
  })
  afterEach(async () => {
    await instance?.end()
    instance = undefined
  })
  afterAll(async () => {
    await world.close()
    rmSync(folder, { recursive: true })
  })

  const environment = (changed: Record<string, string> = {}) =>
    world.beside({ STATE_DIR: state, INDEX_DISK_FLOOR: '0', ...changed })
  const start = async (changed?: Record<string, string>) => {
    const started = await startHere(environment(changed))
    instance = started
    said = () => started.said
  }
  /** For workers, and for files that are emptied or on a full disk. */
  const startAlone = async (changed?: Record<string, string>) => {
    const started = await startInstance(environment(changed))
    const { lines } = started
    instance = started
    said = () => lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Said)
    return started
  }
  const doctor = (changed?: Record<string, string>) => runHere(['doctor'], environment(changed))
  const consume = async (nonce = freshNonce()) => createToken((instance as Service).url, KEY, nonce)
  const ready = () => ask(`${instance?.url}/ready`)
  const logged = (text: string) => said().filter(({ msg }) => msg === text)
  /** A service that has been in use, so that its database file has many pages. */
  const used = <T>(begin: () => Promise<T>) => {
    state = join(folder, `state-${++at}`)
    cpSync(join(folder, 'used'), state, { recursive: true })
    return begin()
  }
  const file = () => join(state, DATABASE_FILE)
  /** Renames the folder before it deletes it: the service may create a file in it while its files are being deleted. */
  const deleteState = () => {
    renameSync(state, `${state}-deleted`)
    rmSync(`${state}-deleted`, { recursive: true, force: true, maxRetries: 10 })
  }

  it.each([
    ['folder is deleted', () => deleteState()],
    ['file is deleted', () => rmSync(file())],
    ['log is deleted', () => rmSync(`${file()}-wal`)],
    [
      'file is replaced by a copy',
      () => {
        copyFileSync(file(), `${file()}.copy`)
        renameSync(`${file()}.copy`, file())
      },
    ],
    ['file is emptied', () => truncateSync(file())],
    ['file is cut in half', () => truncateSync(file(), statSync(file()).size / 2)],
  ])('stops accepting requests, and is not ready, once its %s (threat 81)', async (_, lose) => {
    await used(start)
    await eventually(async () => (await ready()).status === 200)
    expect((await consume()).status).toBe(200)
    lose()
    const refused = await consume()
    expect(refused.status).toBe(503)
    expect(refused.json).toEqual({ error: 'The state store cannot be used now.', code: 'STATE_UNAVAILABLE' })
    const { status, json } = await ready()
    expect(status).toBe(503)
    expect(json).toMatchObject({ ready: false, store: false, storeTrouble: 'gone' })
    await eventually(() => logged('state store failed').some(({ code }) => code === 'STATE_GONE'))
    expect((await consume()).status).toBe(503)
  })

  it('still accepts requests after VACUUM, and after its file was moved away and back (threat 81, control)', async () => {
    await used(start)
    const db = new Database(file(), { timeout: 5000 })
    db.exec('CREATE TABLE filler (text TEXT)')
    const fill = db.prepare('INSERT INTO filler VALUES (?)')
    for (let row = 0; row < 100; row++) fill.run('x'.repeat(4096))
    db.pragma('wal_checkpoint(TRUNCATE)')
    expect((await consume()).status).toBe(200)
    const before = statSync(file()).size
    db.exec('DROP TABLE filler')
    db.exec('VACUUM')
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
    expect(statSync(file()).size).toBeLessThan(before / 2)
    expect((await consume()).status).toBe(200)
    renameSync(state, `${state}-away`)
    expect((await consume()).status).toBe(503)
    renameSync(`${state}-away`, state)
    expect((await consume()).status).toBe(200)
    await eventually(async () => (await ready()).status === 200)
  })

  it.each([
    ['empty', () => truncateSync(file()), startAlone, () => openHere(environment())],
    ['missing', () => rmSync(file()), start, () => runCommand(['start'], environment({ WORKERS: '2' }))],
  ])('does not start when its previous database is %s, unless the operator allows it (threat 81)', async (_, lose, begin, again) => {
    await used<unknown>(begin)
    const nonce = freshNonce()
    expect((await consume(nonce)).status).toBe(200)
    await instance?.end()
    lose()
    const [examined, refused] = await Promise.all([doctor(), again()])
    expect(refused.status).toBe(2)
    expect(refused.stderr).toMatch(
      /^tidegate: STATE_DIR: the database in .* is missing or empty.*ALLOW_STATE_LOSS=true/,
    )
    expect(examined.stdout).toMatch(/^FAIL {2}STATE_DIR: the database in .* is missing or empty/m)
    await start({ ALLOW_STATE_LOSS: 'true' })
    expect((await consume(nonce)).status).toBe(200)
    await instance?.end()
    await start()
    expect((await consume(nonce)).status).toBe(400)
  })

  it('has no worker that creates a new database when the folder was deleted (threat 81)', async () => {
    const { lines } = await used(() => startAlone({ WORKERS: '2' }))
    const pids = () => logged('worker ready').map(({ pid }) => pid as number)
    await eventually(() => pids().length === 2)
    deleteState()
    process.kill(pids()[0] as number, 'SIGKILL')
    await eventually(() => logged('worker exited, starting another one').length >= 2)
    for (let request = 0; request < 10; request++) expect((await consume()).status).toBe(503)
    expect(pids()).toHaveLength(2)
    expect(existsSync(file())).toBe(false)
    expect(lines.join('\n')).toContain('is missing or empty')
  })

  it('is locked or damaged reports it in its log, at /ready and in doctor (threat 85)', async () => {
    await used(start)
    await eventually(async () => (await ready()).status === 200)
    const other = new Database(file(), { timeout: 5000 })
    other.exec('BEGIN IMMEDIATE')
    expect((await consume()).status).toBe(503)
    expect((await ready()).json).toMatchObject({ ready: false, storeTrouble: 'locked' })
    await eventually(() => logged('state store failed').some(({ code }) => code === 'SQLITE_BUSY'))
    other.exec('ROLLBACK')
    other.close()
    await eventually(async () => (await ready()).status === 200)
    await eventually(() => logged('state store recovered').length > 0)
    await instance?.end()
    damage(file())
    await start()
    expect((await consume()).status).toBe(503)
    expect((await ready()).json).toMatchObject({ ready: false, storeTrouble: 'corrupt' })
    await eventually(() => logged('state store failed').some(({ code }) => code === 'SQLITE_CORRUPT'))
    const { status, stdout } = await doctor()
    expect(status).toBe(1)
    expect(stdout).toMatch(/^FAIL {2}database in .*: it is damaged \(SQLITE_CORRUPT\)$/m)
    await instance?.end()
    for (const beside of ['-wal', '-shm']) rmSync(file() + beside, { force: true })
    writeFileSync(file(), 'no database'.repeat(1000))
    expect((await openHere(environment())).stderr).toMatch(/cannot be opened: it is damaged \(SQLITE_NOTADB\)\.$/m)
  })

  const canMount = process.getuid?.() === 0 && spawnSync('mount', ['--version']).status === 0
  if (!canMount) console.warn('SKIPPED: a full disk. It takes root to mount a small one.')
  if (canMount)
    it('is on a full disk reports it, and recovers once there is space again (threat 85)', async () => {
      const disk = join(folder, 'disk')
      mkdirSync(disk)
      const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]).status === 0
      if (!mounted) return console.warn('SKIPPED: a full disk. None can be mounted here.')
      try {
        state = join(disk, 'state')
        await startAlone()
        await eventually(async () => (await ready()).status === 200)
        expect((await consume()).status).toBe(200)
        fillUp(join(disk, 'filler'))
        await eventually(async () => (await consume()).status === 503)
        expect((await ready()).json).toMatchObject({ ready: false, store: false, storeTrouble: 'full' })
        await eventually(() => logged('state store failed').some(({ code }) => code === 'SQLITE_FULL'))
        const { status, stdout } = await runCommand(['doctor'], environment())
        expect(status).toBe(1)
        expect(stdout).toMatch(/^FAIL .*its disk is full \(SQLITE_FULL\)/m)
        rmSync(join(disk, 'filler'))
        await eventually(async () => (await ready()).status === 200)
        expect((await consume()).status).toBe(200)
      } finally {
        await instance?.end()
        instance = undefined
        spawnSync('umount', [disk])
      }
    })

  it('is healthy is reported so by doctor (threat 85, control)', async () => {
    state = join(folder, `state-${++at}`)
    const store = openSqliteStore(state)
    await store.nonces.consume(KEY.address, '5')
    await store.close()
    const { status, stdout } = await doctor({
      IPFS_GATEWAY: world.storage.origin,
      ARWEAVE_GATEWAY: world.storage.origin,
    })
    expect(stdout).toMatch(/^ok {4}database in .*: answers and takes writes, 0 chain\(s\) in the index$/m)
    expect(status).toBe(0)
  })
})

/** Overwrites the first page of the table of nonces. */
function damage(path: string): void {
  const db = new Database(path)
  db.pragma('wal_checkpoint(TRUNCATE)')
  const [found] = db.prepare(`SELECT rootpage FROM sqlite_master WHERE name = 'nonces'`).all()
  db.close()
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, 4096 * ((found as { rootpage: number }).rootpage - 1))
  closeSync(file)
}

/** Fills a disk to the last byte. */
function fillUp(path: string): void {
  const filler = openSync(path, 'w')
  try {
    for (;;) writeSync(filler, Buffer.alloc(4096))
  } catch {
    closeSync(filler)
  }
}
