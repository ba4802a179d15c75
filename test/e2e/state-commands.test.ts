import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { program } from '../helpers/command.js'
import { openHere, runHere } from '../helpers/command-here.js'
import { eventually } from '../helpers/eventually.js'
import { page } from '../helpers/pages.js'
import { PG_PASSWORD } from '../helpers/postgres-server.js'
import { startCommand, startNonceWriter, valueIn, WRITER_ADDRESS } from '../helpers/states.js'
import {
  COUNT,
  configured,
  copy,
  copyArgs,
  DIRECTIONS,
  empty,
  filled,
  folder,
  KINDS,
  killInTheMiddle,
  NONCES,
  put,
  server,
  state,
  urlOf,
  useStates,
  using,
} from './state-rig.js'

/** The commands that copy, back up, restore and check a state with many nonces. */
describe('tidegate state', () => {
  useStates()

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
    const used = await openHere(configured(from))
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
    const copied = await runHere(['state', 'copy'], { COPY_FROM: urlOf(from), COPY_TO_FILE: file })
    expect(copied).toMatchObject({ status: 0, stderr: '' })
    const wrong = server.url('nowhere').replace(PG_PASSWORD, 'hunter2')
    const away = 'postgres://somebody:hunter2@127.0.0.1:1/away'
    for (const url of [wrong, away, `mysql://somebody:hunter2@host/db`, 'postgres://hunter2:hunter2@:x/']) {
      for (const args of [
        ['--from', url, '--to', `sqlite:${folder}/new`],
        ['--from', urlOf(to), '--to', url],
      ]) {
        const { status, stdout, stderr } = await runHere(['state', 'copy', ...args], {})
        expect(status).toBe(url === away ? 69 : 2)
        expect(stderr).toMatch(/^tidegate: (the PostgreSQL database 127|--(from|to): must be)/)
        expect(stdout + stderr).not.toContain('hunter2')
      }
    }
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
   * Runs a printed line in a shell: the first one as a process, the others in this one, with what the shell makes of them.
   */
  let isFirst = true
  async function ranAsPrinted(line: string, cwd: string, env: Record<string, string | undefined>) {
    const asProcess = isFirst
    isFirst = false
    const started = asProcess ? program() : ['-p', 'JSON.stringify([process.argv.slice(1),process.env])', '--']
    const text = line.replace(/^tidegate/, [process.execPath, ...started.map((word) => `'${word}'`)].join(' '))
    const ended = spawnSync('sh', ['-c', text], { cwd, env, encoding: 'utf8' })
    if (asProcess || ended.status !== 0) return ended
    const [args, environment] = JSON.parse(ended.stdout) as [string[], Record<string, string>]
    const before = process.cwd()
    process.chdir(cwd)
    return runHere(args, environment).finally(() => process.chdir(before))
  }
})
