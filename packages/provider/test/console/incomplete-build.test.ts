import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readConsole } from '../../src/console/files.js'
import { PROVIDER_LIMITS } from '../../src/limits.js'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('an incomplete build of the console', () => {
  const made = (files: Record<string, string>) => {
    const at = mkdtempSync(join(folder, 'made-'))
    mkdirSync(join(at, 'assets'))
    for (const [name, content] of Object.entries(files)) writeFileSync(join(at, name), content)
    return at
  }

  it('is not served', () => {
    expect(() => readConsole(join(folder, 'none'), '')).toThrow('has not been built. Run npm run build')
    expect(() => readConsole(made({ 'other.html': '' }), '')).toThrow('has not been built')
    const many = Object.fromEntries(
      Array.from({ length: PROVIDER_LIMITS.console.files + 1 }, (_, at) => [`${at}.js`, '']),
    )
    expect(() => readConsole(made(many), '')).toThrow('CONSOLE: the built console has more than 1000 files')
    const big = made({ 'index.html': '<p>', 'a.js': 'x'.repeat(PROVIDER_LIMITS.console.size) })
    expect(() => readConsole(big, '')).toThrow('33554432 bytes')
  })

  it('has neither hidden files nor links to others', () => {
    const at = made({
      'index.html': '<p>',
      '.sources': 'x',
      'assets/a.js': '1',
      'assets/a.js.gz': 'packed',
      'b.gz': 'own',
    })
    symlinkSync('/etc/hostname', join(at, 'assets', 'link.txt'))
    const files = readConsole(at, '')
    expect([...files.keys()].sort()).toEqual(['assets/a.js', 'b.gz', 'index.html'])
    expect([...(files.get('assets/a.js')?.content.keys() ?? [])]).toEqual(['gzip', 'identity'])
  })
})
