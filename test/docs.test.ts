import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { GENERATED } from '../scripts/generated-docs.js'

describe('generated documents', () => {
  it.each(Object.keys(GENERATED))('%s says what the code says (npm run docs)', (file) => {
    expect(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')).toBe(GENERATED[file]?.())
  })
})
