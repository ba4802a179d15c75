import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { faultsOfChangelog, isBreaking, sectionsOf } from '../scripts/release/changelog.js'
import { faultsOfContents } from '../scripts/release/contents.js'
import { channelOf, compareVersions, faultsOfBump, parseVersion, type Version } from '../scripts/release/versions.js'
import { ROOT } from './helpers/built.js'
import { newFolder } from './helpers/cleanup.js'

describe('versions', () => {
  it('are compared by the rules of semver.org', () => {
    const ordered = [
      '0.9.0',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0',
    ]
    const versions = ordered.map((text) => parseVersion(text) as Version)
    for (const [i, a] of versions.entries())
      for (const [j, b] of versions.entries()) expect(Math.sign(compareVersions(a, b))).toBe(Math.sign(i - j))
    for (const text of ['1.0', 'v1.0.0', '01.0.0', '1.0.0-', '1.0.0+1', '']) expect(parseVersion(text)).toBeUndefined()
  })

  it.each([
    ['1.2.3', '1.2.4', false],
    ['1.2.3', '1.3.0', false],
    ['1.2.3', '2.0.0', true],
    ['1.2.3', '2.0.0-rc.1', true],
    ['2.0.0-rc.1', '2.0.0-rc.2', true],
    ['2.0.0-rc.2', '2.0.0', true],
    ['0.1.0', '0.1.1', false],
    ['0.1.0', '0.2.0', true],
    ['0.1.0', '1.0.0', true],
  ])('%s may be followed by %s', (previous, next, breaking) => {
    expect(faultsOfBump(previous, next, breaking)).toEqual([])
  })

  it.each([
    ['1.2.3', '1.2.3', false, 'does not come after'],
    ['1.2.3', '1.2.2', false, 'does not come after'],
    ['1.2.3', '1.2.3-rc.1', false, 'does not come after'],
    ['1.2.3', '1.2.5', false, 'leaves out'],
    ['1.2.3', '1.3.1', false, 'leaves out'],
    ['1.2.3', '3.0.0', false, 'leaves out'],
    ['1.2.3', '1.3.0', true, 'must be 2.0.0'],
    ['0.1.0', '0.1.1', true, 'must be 0.2.0'],
    ['1.2.3', 'next', false, 'not a semantic version'],
  ])('%s may not be followed by %s (breaking: %s)', (previous, next, breaking, reason) => {
    expect(faultsOfBump(previous, next, breaking).join()).toContain(reason)
  })

  it('become the default version only if none higher is released', () => {
    expect(channelOf('0.1.0', undefined)).toBe('latest')
    expect(channelOf('1.3.0', '1.2.9')).toBe('latest')
    expect(channelOf('1.2.9', '2.0.0')).toBe('release-1.2')
    expect(channelOf('2.0.0-rc.1', '1.0.0')).toBe('next')
  })
})

describe('the changelog', () => {
  const good =
    '# Changelog\n\n## [Unreleased]\n\n## [1.1.0] - 2026-02-03\n\n- New.\n\n## [1.0.0] - 2026-01-02\n\n- First.\n'

  it('has a section for the released version', () => {
    expect(faultsOfChangelog(good, '1.1.0')).toEqual([])
    for (const [text, version, reason] of [
      [good, '1.2.0', 'no section [1.2.0]'],
      [good, '1.0.0', 'not the first section'],
      [good.replace('## [Unreleased]\n', ''), '1.1.0', 'does not begin'],
      [good.replace('[Unreleased]\n', '[Unreleased]\n\n- More.\n'), '1.1.0', 'has entries under [Unreleased]'],
      [good.replace(' - 2026-02-03', ''), '1.1.0', 'has no date'],
      [good.replace('2026-02-03', '2026-02-30'), '1.1.0', 'has no date'],
      [good.replace('- New.', ''), '1.1.0', 'says nothing'],
    ] as const)
      expect(faultsOfChangelog(text, version).join(), reason).toContain(reason)
    const [, section] = sectionsOf(good.replace('- New.', '### Breaking changes\n- Gone.'))
    expect([section && isBreaking(section), sectionsOf(good).some(isBreaking)]).toEqual([true, false])
  })

  it('has the form that a release requires', () => {
    const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')
    expect(changelog).toContain('https://keepachangelog.com/en/1.1.0/')
    expect(changelog).toContain('https://semver.org/spec/v2.0.0.html')
    const [unreleased, ...released] = sectionsOf(changelog)
    expect(unreleased?.name).toBe('Unreleased')
    for (const { name, date } of released) expect([parseVersion(name), date], name).not.toContain(undefined)
  })
})

describe('the contents of a package', () => {
  const folder = newFolder()
  const write = (name: string, files: Record<string, string>) => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name, file)), { recursive: true })
      writeFileSync(join(folder, name, file), text)
    }
    return join(folder, name)
  }
  const documents = ['README.md', 'CHANGELOG.md', 'LICENSE', 'SECURITY.md', 'docs/operations.md']
  const built = [
    'bin/tidegate.js',
    'cli.js',
    'tasks/worker.js',
    'auth/recovery-worker.js',
    'catalog/batch-worker.js',
    'console/index.html',
    'THIRD-PARTY-LICENSES.txt',
    'sbom.cdx.json',
  ].map((file) => (file.startsWith('bin/') ? file : `dist/${file}`))
  const good = Object.fromEntries(['package.json', ...documents, ...built].map((file) => [file, file]))

  it('are the allowed and required files', () => {
    expect(faultsOfContents(write('good', good), ['/somewhere/else'])).toEqual([])
    const strange = [
      'packages/provider/src/app.ts',
      'test/a.test.ts',
      '.env',
      'dist/key.pem',
      'docs/.npmrc',
      'dist/.env.js/a',
      'state.sqlite',
    ]
    const faults = faultsOfContents(
      write('strange', { ...good, ...Object.fromEntries(strange.map((f) => [f, ''])) }),
      [],
    )
    expect(faults.sort()).toEqual(strange.map((file) => `${file} may not be in the package.`).sort())
    expect(faultsOfContents(write('bare', { 'package.json': '{}' }), [])).toHaveLength(documents.length + built.length)
  })

  it('contain no secret, and no path of the build machine', () => {
    const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ'
    const secrets = [
      `-----BEGIN PRIVATE ${'KEY'}-----\n${body}`,
      `npm_${'a1'.repeat(18)}`,
      `//host/:_auth${'Token'}=abc`,
    ]
    for (const [i, secret] of secrets.entries()) {
      const faults = faultsOfContents(write(`secret-${i}`, { ...good, 'dist/cli.js': `const a = \`${secret}\`` }), [])
      expect(faults).toEqual(['dist/cli.js holds what looks like a secret.'])
    }
    // a parser of keys contains the header line, but no key
    const parser = write('parser', { ...good, 'dist/cli.js': `text.includes('-----BEGIN PRIVATE ${'KEY'}-----')` })
    expect(faultsOfContents(parser, [])).toEqual([])
    const faults = faultsOfContents(write('named', { ...good, 'dist/cli.js': '// /builds/x/src/a.ts' }), ['/builds/x'])
    expect(faults).toEqual(['dist/cli.js names the folder that it was built in.'])
  })

  it('have a maximum size', () => {
    const large = write('large', { ...good, 'dist/cli.js': 'x'.repeat(25 * 1024 * 1024) })
    expect(faultsOfContents(large, []).join()).toMatch(/takes \d+ bytes, more than/)
  })
})
