import { providerKey } from '@tidegate/protocol/keys'
import { expect, it } from 'vitest'
import { FileLists } from './file-lists.js'

it('tries a list that opens with no key once for each document (threat 126)', () => {
  let tries = 0
  const isNeeded = () => {
    tries += 1
    return false
  }
  const lists = new FileLists({} as never, false, { isNeeded })
  const key = providerKey('11'.repeat(32))
  const asset = { chain: { chainId: 1, keys: [key] }, nft: key.address, ddo: { version: '4.5.0' } }
  const documentOf = () => ({ files: `0x04${'ab'.repeat(500)}`, datatokenAddress: key.address, serviceEndpoint: '' })
  const service = documentOf()
  for (let round = 0; round < 3; round++)
    expect(() => lists.of(asset as never, { service, index: 0 } as never)).toThrow('Unable to get dataset files')
  expect(tries).toBe(1)
  expect(() => lists.of(asset as never, { service: documentOf(), index: 0 } as never)).toThrow()
  expect(tries).toBe(2)
})
