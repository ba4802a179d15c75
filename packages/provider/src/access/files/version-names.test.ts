import { describe, expect, it } from 'vitest'
import { clock } from '../../../../../test/helpers/measured.js'
import { VersionNames } from './version-names.js'

describe('names of a new version', () => {
  it('are free on file systems that fold case and normal form', () => {
    const names = new VersionNames(['Höhe.csv', undefined, 'old/low.csv'])
    const free = ['ho\u0308he.CSV', 'low.csv', 'old/low.csv', 'old 7/low.csv', 'LOW.csv'].map((name) =>
      names.free(name),
    )
    expect(free).toEqual(['old/ho\u0308he.CSV', 'low.csv', 'old 2/low.csv', 'old 7/low.csv', 'old 3/LOW.csv'])
  })

  it('stay public names if a folder more would be too deep or too long', () => {
    const deep = `${'d/'.repeat(31)}x.csv`
    const long = `${`${'é'.repeat(120)}/`.repeat(4)}${'ü/'.repeat(18)}y.csv`
    const names = new VersionNames([deep, long])
    expect([names.free(deep), names.free(long)]).toEqual(['old/x.csv', 'old/y.csv'])
  })

  it.each([
    ['one name', (_: number) => 'a'],
    ['numbered folders', (at: number) => (at % 2 ? `old ${at}/a` : 'a')],
    ['deep names with one end', (at: number) => `${`${Math.floor(at / 2)}/`.repeat(31)}a`],
    ['names of pairs', (at: number) => `old/${at % 5_000}`],
  ])('cost no more if strangers choose %s (threat 120)', (_, nameOf) => {
    const chosen = Array.from({ length: 10_000 }, (_, at) => nameOf(at))
    const begun = clock()
    const names = new VersionNames(chosen.slice(0, 5_000))
    const given = chosen.map((name) => names.free(name))
    expect(clock() - begun).toBeLessThan(1_000)
    expect(new Set([...given, ...chosen.slice(0, 5_000)]).size).toBe(10_000 + new Set(chosen.slice(0, 5_000)).size)
  })
})
