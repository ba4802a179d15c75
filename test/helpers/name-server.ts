import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, isIPv6, type Server, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A name server's answer for a name; without `addresses`, that it has none. */
export interface Reply {
  addresses?: readonly string[]
  /** An alias, which the addresses belong to. */
  cname?: string
  /** Time to live in seconds; 60 by default. */
  ttl?: number
  /** 0 is success, 2 a server failure, 3 a name that does not exist. */
  rcode?: number
  /** Sends this instead of a well-formed answer. */
  raw?: (query: Buffer) => Buffer[]
}

type RecordType = 'A' | 'AAAA'

/** Answers a query; returns undefined to stay silent. */
type Behaviour = (name: string, type: RecordType, over: 'udp' | 'tcp') => Reply | undefined

/** The maximum size of a DNS message over UDP. */
const UDP_SIZE = 512

/** A real name server on a random port of this machine, over UDP and TCP, that answers as a test wants. */
export class NameServer {
  /** The queries so far, in order. */
  readonly asked: { name: string; type: RecordType; over: 'udp' | 'tcp' }[] = []
  private readonly connections = new Set<Socket>()

  private constructor(
    private readonly udp: UdpSocket,
    private readonly tcp: Server,
    private readonly behaviour: Behaviour,
  ) {
    udp.on('message', (query, { port, address }) => {
      for (const packet of this.answers(query, 'udp')) udp.send(packet, port, address)
    })
    tcp.on('connection', (socket) => {
      this.connections.add(socket.on('error', () => undefined))
      socket.on('data', (data) => {
        // queries are short enough to arrive in one chunk, perhaps two of them together
        for (let at = 0; at + 2 < data.length; at += 2 + data.readUInt16BE(at))
          for (const packet of this.answers(data.subarray(at + 2, at + 2 + data.readUInt16BE(at)), 'tcp'))
            socket.write(Buffer.concat([uint16(packet.length), packet]))
      })
    })
  }

  static async start(behaviour: Behaviour): Promise<NameServer> {
    for (;;) {
      const tcp = createServer().listen(0, '127.0.0.1')
      await once(tcp, 'listening')
      // many queries arrive at once, and the system drops those that do not fit into the buffer
      const udp = createSocket({ type: 'udp4', recvBufferSize: 4_194_304 })
      udp.bind((tcp.address() as AddressInfo).port, '127.0.0.1')
      const bound = await once(udp, 'listening').catch(() => undefined)
      if (bound) return new NameServer(udp, tcp, behaviour)
      tcp.close()
    }
  }

  /** Its address, in the form that resolvers accept. */
  get address(): string {
    return `127.0.0.1:${this.udp.address().port}`
  }

  /** How often a name was queried. */
  count(name: string): number {
    return this.asked.filter((question) => question.name === name).length
  }

  close(): void {
    this.udp.close()
    this.tcp.close()
    for (const socket of this.connections) socket.destroy()
  }

  private answers(query: Buffer, over: 'udp' | 'tcp'): Buffer[] {
    const { name, end } = questionOf(query)
    const type = query.readUInt16BE(end - 4) === 28 ? 'AAAA' : 'A'
    this.asked.push({ name, type, over })
    const reply = this.behaviour(name, type, over)
    if (!reply) return []
    if (reply.raw) return reply.raw(query)
    const packet = answer(query.subarray(0, end), type, reply)
    return [over === 'udp' && packet.length > UDP_SIZE ? truncated(query.subarray(0, end)) : packet]
  }
}

/** A well-formed answer to a query, for tests that then corrupt it. */
export function answer(
  question: Buffer,
  type: RecordType,
  { addresses = [], cname, ttl = 60, rcode = 0 }: Reply,
): Buffer {
  const fitting = addresses.filter((address) => isIPv6(address) === (type === 'AAAA'))
  const owner = cname === undefined ? Buffer.from([0xc0, 12]) : encoded(cname)
  const records = [
    ...(cname === undefined ? [] : [record(Buffer.from([0xc0, 12]), 5, ttl, encoded(cname))]),
    ...fitting.map((address) =>
      record(owner, type === 'A' ? 1 : 28, ttl, Buffer.from(ipaddr.parse(address).toByteArray())),
    ),
  ]
  return Buffer.concat([header(question, 0x8180 | rcode, records.length), question.subarray(12), ...records])
}

function truncated(question: Buffer): Buffer {
  return Buffer.concat([header(question, 0x8380, 0), question.subarray(12)])
}

/** The first twelve bytes: the query's id, flags, one question, and the number of answers. */
function header(question: Buffer, flags: number, answers: number): Buffer {
  return Buffer.concat([question.subarray(0, 2), ...[flags, 1, answers, 0, 0].map(uint16)])
}

function record(owner: Buffer, type: number, ttl: number, data: Buffer): Buffer {
  const seconds = Buffer.alloc(4)
  seconds.writeUInt32BE(ttl)
  return Buffer.concat([owner, uint16(type), uint16(1), seconds, uint16(data.length), data])
}

function encoded(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.from([0])])
}

/** The queried name, and where the question ends. */
function questionOf(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 }
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
