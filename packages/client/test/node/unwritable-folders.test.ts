import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { downloadToFile } from '@tidegate/client/node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Sold, Stage, sha256 } from '../stage.js'

const CONTENT = randomBytes(4_000_000)

describe('downloadToFile, into folders that cannot be written', () => {
  let stage: Stage
  let tides: Sold
  let folder: string
  beforeAll(async () => {
    stage = await Stage.start()
    tides = await stage.sold(stage.world.storage.file('/tides.csv', CONTENT))
  })
  afterAll(() => stage?.close())
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidegate-client-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const save = (target: string, sold = tides) =>
    downloadToFile(stage.client().context, sold.did, target, { order: sold.order })

  it('never leaves its folder', async () => {
    const inside = join(folder, 'inside')
    mkdirSync(inside)
    const victim = join(folder, 'victim')
    writeFileSync(victim, 'mine')
    symlinkSync(victim, join(inside, 'tides.csv.part'))
    await expect(save(inside)).rejects.toMatchObject({ code: 'NOT_WRITABLE' })
    expect(readFileSync(victim, 'utf8')).toBe('mine')
    await expect(save(join(folder, 'nowhere', 'x'))).rejects.toMatchObject({
      code: 'NO_FOLDER',
      message: expect.stringContaining(join(folder, 'nowhere')),
    })
    await expect(save(`${join(folder, 'nowhere')}/`)).rejects.toMatchObject({ code: 'NO_FOLDER' })
  })

  it('saves no file if the disk failed during the download', async () => {
    // more than the bytes between two syncs
    const content = randomBytes(36_000_000)
    const sold = await stage.sold(stage.world.storage.file('/disk.bin', content))
    const path = join(folder, 'disk.bin')
    const handle = await open(join(folder, 'any'), 'w')
    // simulates a failing disk: the system reports its error once
    const failing = vi.spyOn(Object.getPrototypeOf(handle), 'datasync')
    failing.mockRejectedValueOnce(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }))
    try {
      await expect(save(path, sold)).rejects.toMatchObject({ code: 'DISK_FAILED' })
      expect(readdirSync(folder)).toEqual(['any'])
      expect(await save(path, sold)).toMatchObject({ sha256: sha256(content) })
      expect(failing).toHaveBeenCalled()
    } finally {
      failing.mockRestore()
      await handle.close()
    }
  })

  const canMount = process.getuid?.() === 0 && spawnSync('mount', ['--version']).status === 0
  if (!canMount) console.warn('SKIPPED: downloads to a full disk. It takes root to mount a small one.')
  if (canMount)
    it('reports a full disk, and resumes when there is space', async () => {
      const disk = join(folder, 'disk')
      mkdirSync(disk)
      if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=5m', 'tmpfs', disk]).status !== 0)
        return console.warn('SKIPPED: a full disk. None can be mounted here.')
      try {
        writeFileSync(join(disk, 'other'), Buffer.alloc(2_000_000))
        await expect(save(disk)).rejects.toMatchObject({
          code: 'DISK_FULL',
          message: expect.stringContaining('disk is full'),
        })
        expect(existsSync(join(disk, 'tides.csv'))).toBe(false)
        rmSync(join(disk, 'other'))
        expect(await save(disk)).toMatchObject({ sha256: sha256(CONTENT) })
        expect(readdirSync(disk)).toEqual(['tides.csv'])
      } finally {
        spawnSync('umount', [disk])
      }
    })
})
