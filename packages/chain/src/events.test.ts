import {
  type AbiEvent,
  concat,
  encodeAbiParameters,
  encodeEventTopics,
  getAddress,
  type Hex,
  type Log,
  numberToHex,
  parseEventLogs,
  stringToHex,
  zeroAddress,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { heldBy } from '../../../test/helpers/measured.js'
import { EVENTS } from './abi.js'
import { decodeEvent, decodeEvents } from './events.js'

const SOMEBODY = getAddress(`0x${'ab'.repeat(20)}`)
const VALUES: Record<string, unknown> = {
  address: SOMEBODY,
  bool: true,
  uint8: 3,
  uint256: 2n ** 255n + 7n,
  bytes32: `0x${'5c'.repeat(32)}`,
  bytes: `0x${'c0ffee'.repeat(30)}`,
  string: 'Höhen\0 und 🌊',
}

function logOf({ name, inputs }: (typeof EVENTS)[number], values = VALUES): Log {
  const plain = inputs.filter((input) => !('indexed' in input))
  const args = Object.fromEntries(inputs.map((input) => [input.name, values[input.type]]))
  return {
    address: SOMEBODY,
    topics: encodeEventTopics({ abi: EVENTS as readonly AbiEvent[], eventName: name, args }) as Log['topics'],
    data: encodeAbiParameters(
      plain,
      plain.map(({ type }) => values[type]),
    ),
  } as Log
}

describe('decodeEvents', () => {
  it('decodes every event like viem', () => {
    const logs = EVENTS.map((event) => logOf(event))
    expect(decodeEvents(logs)).toEqual(parseEventLogs({ abi: EVENTS, logs, strict: true }))
    expect(decodeEvents(logs)).toHaveLength(EVENTS.length)
  })

  it('decodes strings and bytes that are empty or not UTF-8', () => {
    const [created] = EVENTS
    for (const text of ['', '0x']) {
      const log = logOf(created, { ...VALUES, string: text })
      expect(decodeEvent(log)).toEqual(parseEventLogs({ abi: EVENTS, logs: [log], strict: true })[0])
    }
    const log = logOf(created, { ...VALUES, string: 'ABBA' })
    const broken = { ...log, data: log.data.replaceAll(stringToHex('ABBA').slice(2), 'c3ff80fe') as Hex }
    expect(decodeEvent(broken)?.args).toMatchObject({ tokenName: '\ufffd\ufffd\ufffd\ufffd' })
  })

  it('skips other and malformed events', () => {
    const metadata = EVENTS.find(({ name }) => name === 'MetadataUpdated') as (typeof EVENTS)[number]
    const log = logOf(metadata)
    const word = (value: bigint) => numberToHex(value, { size: 32 })
    const wrong: Partial<Log>[] = [
      { topics: [] },
      { topics: [`0x${'00'.repeat(32)}`] },
      { topics: [log.topics[0] as Hex] },
      { topics: [...(log.topics as [Hex]), word(0n)] },
      { data: '0x' },
      { data: log.data.slice(0, -64) as Hex },
      { data: concat([word(256n), `0x${log.data.slice(66)}`]) },
      { data: concat([word(0n), word(2n ** 256n - 1n), `0x${log.data.slice(2 + 128)}`]) },
      { data: concat([word(0n), word(2n ** 53n), `0x${log.data.slice(2 + 128)}`]) },
    ]
    for (const change of wrong)
      expect(decodeEvent({ ...log, ...change } as Log), JSON.stringify(change)).toBe(undefined)
    expect(decodeEvent(log)).toBeDefined()
  })

  it('does not block the event loop with a log of several megabytes (threat 46)', async () => {
    const large = { ...VALUES, bytes: `0x${'ab'.repeat(3_000_000)}`, string: 'x'.repeat(1000), address: zeroAddress }
    const log = logOf(EVENTS.find(({ name }) => name === 'MetadataUpdated') as (typeof EVENTS)[number], large)
    let data: Hex | undefined
    const held = await heldBy(() => {
      const event = decodeEvent(log)
      if (event?.eventName === 'MetadataUpdated') data = event.args.data
    })
    expect(data).toHaveLength(2 + 6_000_000)
    expect(held).toBeLessThan(100)
  })
})
