import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { KNOWN_DEPLOYMENTS, readAddressFile } from './deployments.js'

const published = createRequire(import.meta.url)('@oceanprotocol/contracts/addresses/address.json') as Record<
  string,
  {
    chainId: number
    startBlock: number
    ERC721Factory: string
    Ocean?: string
    COMPY?: string
    AccessListFactory?: string
  }
>

it('known deployments: have the addresses of the published contracts', () => {
  const expected = Object.entries(published).map(([network, entry]) => ({
    network,
    chainId: entry.chainId,
    factory: entry.ERC721Factory,
    startBlock: entry.startBlock,
    ...(entry.Ocean ? { oceanToken: entry.Ocean } : {}),
    ...(entry.COMPY ? { tokens: { COMPY: entry.COMPY } } : {}),
    ...(entry.AccessListFactory ? { accessListFactory: entry.AccessListFactory } : {}),
  }))
  expect(KNOWN_DEPLOYMENTS).toEqual(expected.sort((a, b) => a.chainId - b.chainId))
})

describe('an address file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const FACTORY = '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061'
  const read = (text: string) => {
    const path = join(folder, 'address.json')
    writeFileSync(path, text)
    return readAddressFile(path)
  }

  it('may have addresses in any case; skips networks without a factory', () => {
    const local = { chainId: 8996, ERC721Factory: FACTORY.toLowerCase(), startBlock: 7, Ocean: FACTORY.toLowerCase() }
    const bare = { chainId: 1, ERC721Factory: FACTORY, Ocean: 'none' }
    expect(read(JSON.stringify({ local, bare, older: { chainId: 3 }, nothing: null }))).toEqual([
      { network: 'local', chainId: 8996, factory: FACTORY, startBlock: 7, oceanToken: FACTORY },
      { network: 'bare', chainId: 1, factory: FACTORY, startBlock: 0 },
    ])
  })

  it('may name tokens by symbol, and a factory of access lists', () => {
    const named = { MockUSDC: FACTORY, AccessListFactory: FACTORY.toLowerCase(), tokens: { EURX: FACTORY, BAD: '0x1' } }
    const local = { chainId: 8996, ERC721Factory: FACTORY, ...named }
    const tokens = { USDC: FACTORY, EURX: FACTORY }
    expect(read(JSON.stringify({ local }))).toMatchObject([{ tokens, accessListFactory: FACTORY }])
  })

  it.each([
    ['{', 'cannot be read: not valid JSON'],
    ['5', 'must hold a JSON object of networks'],
    ['null', 'must hold a JSON object of networks'],
    ['{"a":{"chainId":1,"ERC721Factory":"0x12"}}', 'has an ERC721Factory that is not an address in a'],
  ])('is rejected as %s, with the reason', (text, problem) => {
    expect(() => read(text)).toThrow(problem)
  })

  it('is rejected if it is missing', () => {
    expect(() => readAddressFile(join(folder, 'none.json'))).toThrow('cannot be read: ENOENT')
  })
})
