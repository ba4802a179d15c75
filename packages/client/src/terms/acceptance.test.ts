import { describe, expect, it } from 'vitest'
import type { Moment } from '../chain/moment.js'
import { acceptanceOf, acceptedIn } from './acceptance.js'

const DATATOKEN = `0x${'12'.repeat(20)}` as const
const WALLET = `0x${'34'.repeat(20)}`
const [FIRST, SECOND] = ['ab'.repeat(32), 'cd'.repeat(32)]
const marked = (sha256: string) => acceptanceOf(sha256).slice(2)
const call = '0x1234'

const read = (transaction: unknown) =>
  acceptedIn({ find: async () => transaction } as unknown as Moment, '0x', DATATOKEN)

describe('accepted terms of an order', () => {
  it.each<[string, object, string | undefined]>([
    ['end a call of the datatoken', { to: DATATOKEN, input: call + marked(FIRST) }, FIRST],
    ['do not stand inside of it', { to: DATATOKEN, input: `${call}${marked(FIRST)}00` }, undefined],
    ['stand anywhere in the call of a wallet', { to: WALLET, input: `${call}${marked(FIRST)}00` }, FIRST],
    ['may be repeated there', { to: WALLET, input: `${call}${marked(FIRST)}00${marked(FIRST)}00` }, FIRST],
    ['are none if there are two', { to: WALLET, input: `${call}${marked(FIRST)}00${marked(SECOND)}00` }, undefined],
    ['begin at a whole byte', { to: WALLET, input: `${call}0${marked(FIRST)}000` }, undefined],
    ['are whole', { to: WALLET, input: `${call}${marked(FIRST).slice(0, -2)}` }, undefined],
    ['are hexadecimal', { to: WALLET, input: `${call}${marked('zz'.repeat(32))}00` }, undefined],
    ['are not beyond 128 KiB', { to: WALLET, input: `0x${'00'.repeat(131_072)}${marked(FIRST)}00` }, undefined],
    ['may be in a creation', { to: null, input: call + marked(FIRST) }, FIRST],
    ['are none without calldata', { to: DATATOKEN, input: 5 }, undefined],
  ])('%s', async (_, transaction, sha256) => {
    expect(await read(transaction)).toBe(sha256)
  })

  it('are none if the node has no transaction', async () => {
    expect(await read(null)).toBeUndefined()
  })
})
