import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { assertUnchanged, filesBelow } from './source-folder.js'
import { sourcesOf } from './sources.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const at = (name: string) => join(folder, name)
function write(...names: string[]): void {
  for (const name of names) {
    mkdirSync(dirname(at(name)), { recursive: true })
    writeFileSync(at(name), name)
  }
}
const names = (hidden = false) => filesBelow(folder, hidden).map(({ name }) => name)

describe('the files of a folder', () => {
  it('are all below it, sorted, and without hidden ones', () => {
    write('b/x.csv', 'a/x.csv', 'a.csv', 'Höhe 潮/e\u0301', '.git/config', 'a/.DS_Store')
    expect(names()).toEqual(['Höhe 潮/e\u0301', 'a.csv', 'a/x.csv', 'b/x.csv'])
    expect(names(true)).toEqual(['.git/config', 'Höhe 潮/e\u0301', 'a.csv', 'a/.DS_Store', 'a/x.csv', 'b/x.csv'])
    expect(filesBelow(folder, false)[1]).toEqual({ path: at('a.csv'), name: 'a.csv', size: 5 })
    expect(sourcesOf([folder], [], { anonymousFiles: true })).toContainEqual({ path: at('a.csv'), size: 5 })
  })

  it('are refused if there is none, or one that is no plain file, with its path', () => {
    expect(() => names()).toThrow(/has no file that is not hidden/)
    write('a/x.csv')
    symlinkSync(at('a/x.csv'), at('a/link'))
    expect(() => names()).toThrow(`${at('a/link')}: is a symbolic link`)
    rmSync(at('a/link'))
    symlinkSync(at('a'), at('b'))
    expect(() => names()).toThrow(`${at('b')}: is a symbolic link`)
    rmSync(at('b'))
    execFileSync('mkfifo', [at('a/fifo')])
    expect(() => names()).toThrow(`${at('a/fifo')}: is a device, FIFO or socket`)
    rmSync(at('a/fifo'))
    writeFileSync(Buffer.concat([Buffer.from(at('a/')), Buffer.from([0xff])]), '')
    expect(() => names()).toThrow(/the name is not UTF-8/)
  })

  it('are refused for names that clash or break the rules', () => {
    write('a/x.csv', 'A/X.CSV')
    expect(() => sourcesOf([folder], [])).toThrow('A/X.CSV and a/x.csv: two files would have the same name')
    rmSync(at('A'), { recursive: true })
    write('a\\b')
    expect(() => sourcesOf([folder], [])).toThrow('a\\b: the name of a file must separate folders by /')
  })

  it('have changed if one is gone or has another size', () => {
    write('a', 'b')
    const before = filesBelow(folder, false)
    for (const file of before) assertUnchanged(file)
    writeFileSync(at('b'), 'longer')
    rmSync(at('a'))
    for (const file of before) expect(() => assertUnchanged(file)).toThrow(`${file.path} has changed meanwhile`)
  })
})
