import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { prepared } from '../../../../test/helpers/prepared.js'

const MOST = 140_000

/** The console that the test run has built. */
const folder = prepared('build', 'dist', 'console') as string

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
