import { createSocket } from 'node:dgram'
import { isIP } from 'node:net'
import fc from 'fast-check'
import { DnsError, queryAddresses } from '../../../packages/storage/src/egress/dns/dns-query.js'
import { STORAGE_LIMITS } from '../../../packages/storage/src/limits.js'
import { mutatedBytes } from '../lib/mutate.js'
import { holds, target } from '../lib/target.js'

/** Records with a pointer to the name in the question section, which precedes them. */
const A = Buffer.from('c00c0001000100000e100004c6336401', 'hex')
const AAAA = Buffer.from('c00c001c000100000e10001020010db8000000000000000000000001', 'hex')
const CNAME = Buffer.from('c00c0005000100000e10000401780000', 'hex')
const HEADER = { flags: 0x8180, answers: 1 }

let reply: { flags: number; answers: number; records: Uint8Array; cut: number } = { ...HEADER, records: A, cut: 0 }
const server = createSocket('udp4')
server.on('message', (query, { port, address }) => {
  const answer = Buffer.concat([query.subarray(0, endOf(query)), reply.records]).subarray(0, 4000)
  answer.writeUInt16BE(reply.flags & 0xffff, 2)
  answer.writeUInt16BE(reply.answers & 0xffff, 6)
  answer.writeUInt32BE(0, 8)
  server.send(answer.subarray(0, answer.length - reply.cut), port, address)
})
server.bind(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))

/** Responses of name servers to a query. */
export default target({
  runs: 40,
  replayVerbatim: true,
  inputs: fc.record({
    flags: fc.oneof(
      fc.constant(HEADER.flags),
      fc.constantFrom(0x8182, 0x8183, 0x8380, 0x0180),
      fc.nat({ max: 0xffff }),
    ),
    answers: fc.oneof(fc.constant(1), fc.constantFrom(0, 2, 20, 0xffff)),
    records: mutatedBytes(
      fc.constantFrom<Uint8Array>(A, AAAA, Buffer.concat([CNAME, A]), Buffer.concat(Array(20).fill(A))),
    ),
    cut: fc.constantFrom(0, 0, 0, 1, 5),
  }),
  isRejection: (error) => error instanceof DnsError,
  async read(input) {
    reply = input
    const servers = [`127.0.0.1:${server.address().port}`]
    const { addresses, lifetime } = await queryAddresses('files.example', new AbortController().signal, {
      servers,
      deadline: 60,
      attempts: 1,
    })
    holds(
      addresses.length > 0 && addresses.length <= 2 * STORAGE_LIMITS.dns.addresses,
      'the number of addresses is bounded',
    )
    for (const { address, family } of addresses) holds(isIP(address) === family, 'an address is of its family')
    holds(lifetime >= 0 && lifetime <= STORAGE_LIMITS.dns.maxTimeToLive, 'the time to live is bounded')
  },
})

/** The end of the question section of a query: after its name, type and class. */
function endOf(query: Buffer): number {
  let at = 12
  while (at < query.length && query[at] !== 0) at += (query[at] as number) + 1
  return at + 5
}
