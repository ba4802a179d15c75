import { connect, type Socket } from 'node:net'

/** Consumers of one server that each read a few bytes per second. */
export interface SlowLoad {
  port: number
  request: string
  count: number
  /** Bytes per second and consumer. */
  rate: number
}

/** The consumers that have begun, and how they fare. */
export interface SlowReport {
  /** Bytes read by all. */
  bytes: number
  /** Connections that ended early. */
  broken: number
}

/** Turns of the wheel per second: each turn lets a share of the consumers read. */
const TURNS = 20
/** Connections that are opened at once. */
const OPENING = 100

const report: SlowReport = { bytes: 0, broken: 0 }
const wheel: Socket[][] = Array.from({ length: TURNS }, () => [])

// a separate process, so that the consumers do not share an event loop with anything measured
process.on('message', (message: SlowLoad | 'report') => {
  if (message === 'report') process.send?.(report)
  else void begin(message).then(() => process.send?.(report))
})

async function begin({ port, request, count, rate }: SlowLoad): Promise<void> {
  const received = Buffer.alloc(rate)
  let turn = 0
  setInterval(() => {
    for (const socket of wheel[turn++ % TURNS] ?? []) socket.resume()
  }, 1000 / TURNS)
  for (let begun = 0; begun < count; begun += OPENING)
    await Promise.all(Array.from({ length: Math.min(OPENING, count - begun) }, (_, at) => consumer(begun + at)))

  /** Resolves at the first bytes of the response. One read takes at most a second's bytes. */
  function consumer(at: number): Promise<void> {
    return new Promise((resolve) => {
      const callback = (length: number) => {
        report.bytes += length
        resolve()
        return false
      }
      const onread = { buffer: received, callback }
      const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.1.${1 + (at % 8)}`, onread })
      socket.on('connect', () => socket.write(request))
      socket.on('error', () => undefined)
      socket.on('close', () => {
        report.broken += 1
        resolve()
      })
      wheel[at % TURNS]?.push(socket)
    })
  }
}
