import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A fake Redis with the part of the protocol that `tidegate import` uses, for machines without a real one. */
export interface SmallRedis {
  port: number
  values: Map<string, Buffer>
  /** Once set, connections are cut at the next command of this name. */
  cutAt: string | undefined
  close(): Promise<void>
}

/** Starts one that requires this password. Lists keys in batches of `batch`, and one key twice, as SCAN may. */
export async function startSmallRedis(password: string, batch = 100): Promise<SmallRedis> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    let authorised = false
    let unread = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      unread = Buffer.concat([unread, chunk])
      for (let parsed = command(unread); parsed; parsed = command(unread)) {
        unread = unread.subarray(parsed.length)
        const [name = '', ...args] = parsed.words
        if (name.toLowerCase() === redis.cutAt) return void socket.destroy()
        if (name.toLowerCase() === 'auth') authorised = args.at(-1) === password
        socket.write(authorised || name === 'quit' ? answer(name.toLowerCase(), args) : '-NOAUTH no\r\n')
      }
    })
  })
  const redis: SmallRedis = {
    port: 0,
    values: new Map(),
    cutAt: undefined,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }

  function answer(name: string, args: string[]): Buffer | string {
    if (name === 'info') return bulk(Buffer.from('loading:0\r\n'))
    if (name === 'getrange') {
      const value = redis.values.get(args[0] as string) ?? Buffer.alloc(0)
      return bulk(value.subarray(Number(args[1]), Number(args[2]) + 1))
    }
    if (name === 'scan') {
      const [cursor, , pattern = ''] = args
      const all = [...redis.values.keys()]
      const start = Number(cursor)
      const end = start + batch
      const found = all.slice(Math.max(start - 1, 0), end).filter((key) => key.startsWith(pattern.slice(0, -1)))
      const keys = found.map((key) => bulk(Buffer.from(key)))
      const next = bulk(Buffer.from(end < all.length ? String(end) : '0'))
      return Buffer.concat([Buffer.from('*2\r\n'), next, Buffer.from(`*${keys.length}\r\n`), ...keys])
    }
    return ['auth', 'select', 'client', 'quit'].includes(name) ? '+OK\r\n' : '-ERR unknown command\r\n'
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  redis.port = (server.address() as AddressInfo).port
  return redis
}

function bulk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n')])
}

/** The first command in the received bytes, an array of texts; undefined until it is complete. */
function command(bytes: Buffer): { words: string[]; length: number } | undefined {
  let at = 0
  const count = () => {
    const end = bytes.indexOf('\r\n', at)
    if (end < 0) return undefined
    const number = Number(bytes.toString('latin1', at + 1, end))
    at = end + 2
    return number
  }
  const words: string[] = []
  const parts = count()
  while (parts !== undefined && words.length < parts) {
    const length = count()
    if (length === undefined || at + length + 2 > bytes.length) return undefined
    words.push(bytes.toString('utf8', at, at + length))
    at += length + 2
  }
  return parts === undefined ? undefined : { words, length: at }
}

/** A text as the legacy service stores it: pickled by Python 3.8 or later. */
export function pickled(text: string): Buffer {
  const frame = Buffer.alloc(8)
  frame.writeBigUInt64LE(BigInt(text.length + 4))
  const opcodes = [[0x8c, text.length], Buffer.from(text), [0x94, 0x2e]]
  return Buffer.concat([Buffer.from('!\x80\x04\x95', 'latin1'), frame, ...opcodes.map((part) => Buffer.from(part))])
}
/** True and false, pickled. */
export const TRUE = Buffer.from('218004882e', 'hex')
export const FALSE = Buffer.from('218004892e', 'hex')
