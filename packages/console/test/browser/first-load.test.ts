import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const MOST = 140_000

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-console-'))
  execFileSync(process.execPath, ['scripts/build-console.mjs', folder])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const packed = (name: string) => gzipSync(readFileSync(join(folder, name))).length

describe('the first load of the console', () => {
  it('takes less than 140 KB compressed, with all files that the page names', () => {
    const page = readFileSync(join(folder, 'index.html'), 'utf8')
    const files = [...page.matchAll(/(?:src|href)="\/console\/([^"]+)"/g)].map(([, name]) => name as string)
    expect(files.filter((name) => name.endsWith('.js')).length).toBeGreaterThan(1)
    const bytes = ['index.html', ...files].reduce((sum, name) => sum + packed(name), 0)
    expect(bytes).toBeLessThan(MOST)
  })

  it('has nothing inline', () => {
    const page = readFileSync(join(folder, 'index.html'), 'utf8')
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/)
  })
})
