import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The numbers in names of tests: `(threat 37)`, `(threats 4 and 5)`, `(threats 8, 66)`. */
function numbersInTests(): Set<number> {
  const packages = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`)
  const files = ['test', ...packages].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
      .map((file) => join(ROOT, folder, file)),
  )
  const names = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/\(threats? ([\d, and]+)\)['"`]/g)])
  return new Set(names.flatMap(([, numbers = '']) => (numbers.match(/\d+/g) ?? []).map(Number)))
}

describe('docs/threats.md', () => {
  const listed = [...readFileSync(join(ROOT, 'docs/threats.md'), 'utf8').matchAll(/^\| (\d+) \|/gm)].map(([, number]) =>
    Number(number),
  )

  it('has each number once', () => {
    expect(listed.length).toBeGreaterThan(80)
    expect(listed.toSorted((a, b) => a - b)).toEqual([...new Set(listed)].sort((a, b) => a - b))
  })

  it('lists the threats that tests show, and no other', () => {
    const shown = [...numbersInTests()].sort((a, b) => a - b)
    expect(shown).toEqual(listed.toSorted((a, b) => a - b))
  })
})
