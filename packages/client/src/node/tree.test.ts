import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { placeBelow, safePath } from './tree.js'

describe('a path of a stranger', () => {
  it.each([
    ['a/x.csv', 'a/x.csv'],
    ['Höhe 潮/x', 'Höhe 潮/x'],
    ['../../etc/passwd', 'etc/passwd'],
    ['/etc/passwd', 'etc/passwd'],
    ['C:\\x', 'x'],
    ['C:/x', 'C_/x'],
    ['a//./b', 'a/b'],
    ['con/nul.txt', '_con/_nul.txt'],
    ['.ssh/.x', 'ssh/x'],
    ['..', ''],
    ['a/\u0000', 'a'],
    [`${'d/'.repeat(100)}x`, `${'d/'.repeat(31)}x`],
    // far from the name, parts of which nothing is left hide the others
    [`a/${'../'.repeat(200)}x`, 'x'],
  ])('%j (threat 105)', (name, path) => {
    expect(safePath(name)).toBe(path)
  })
})

describe('a place below a folder', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    mkdirSync(join(folder, 'target'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  const target = () => join(folder, 'target')

  it('gets its folders only if they are to be made', () => {
    expect(placeBelow(target(), 'a/b/x', false)).toBe(join(target(), 'a/b/x'))
    expect(readdirSync(target())).toEqual([])
    for (const path of ['a/b/x', 'a/b/y']) placeBelow(target(), path, true)
    expect(readdirSync(join(target(), 'a/b'))).toEqual([])
  })

  it('follows no link, and needs no file as a folder', () => {
    mkdirSync(join(folder, 'outside'))
    symlinkSync(join(folder, 'outside'), join(target(), 'link'))
    symlinkSync(join(folder, 'nowhere'), join(target(), 'lost'))
    writeFileSync(join(target(), 'file'), '')
    mkdirSync(join(target(), 'folder'))
    for (const make of [true, false]) {
      for (const path of ['link/x', 'lost/x', 'file/x'])
        expect(() => placeBelow(target(), path, make), path).toThrow(/is a link or a file/)
      for (const path of ['link', 'folder'])
        expect(() => placeBelow(target(), path, make), path).toThrow(/is a folder, and a file/)
    }
    expect(readdirSync(folder).sort()).toEqual(['outside', 'target'])
    expect(readdirSync(join(folder, 'outside'))).toEqual([])
  })
})
