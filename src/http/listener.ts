import cluster from 'node:cluster'
import { type AddressInfo, connect, Server as NetServer } from 'node:net'

/** Milliseconds that a turn of the event loop takes in which next to nothing happened. */
const SHORT_TURN = 0.1

/** Milliseconds after which new connections have to wait, for a second at least, and after which the listener is closed in any case. */
const PATIENCE = { others: 200, all: 1000 }

/** The backlog that Node gives a listener by default. */
const BACKLOG = 511

/** Addresses at which a listener of all addresses is reached. */
const LOOPBACK: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** What Node keeps of a listener or a socket, as far as it is used here. */
interface Handle {
  listen?(backlog: number): number
  getpeername?(peer: object): number
}
const handleOf = (owner: object) => (owner as { _handle?: Handle | null })._handle

/**
 * Closes a listener when all connections that the system has made are accepted: to close before resets them, and a proxy
 * sends no POST a second time. After a second it is closed in any case. Connections stay open.
 */
export async function closeListener(server: NetServer): Promise<void> {
  const asked = performance.now()
  // in a cluster, the primary accepts
  const mayClose = cluster.isWorker ? idleTurns(server) : fullBacklogs(server, asked)
  for await (const isDone of mayClose)
    if (isDone || !server.listening || performance.now() - asked > PATIENCE.all) break
  NetServer.prototype.close.call(server)
}

/**
 * For each turn of the event loop, whether nothing was accepted in it and it was short, since in a long one a connection may
 * have come that is accepted in the next.
 */
async function* idleTurns(server: NetServer): AsyncGenerator<boolean> {
  let accepted = 0
  const count = () => void accepted++
  server.on('connection', count)
  try {
    // the rest of this turn may be past the point where connections are accepted
    for (let isFirst = true; ; isFirst = false) {
      const [before, begun] = [accepted, performance.now()]
      await new Promise(setImmediate)
      yield !isFirst && accepted === before && performance.now() - begun < SHORT_TURN
    }
  } finally {
    server.off('connection', count)
  }
}

/**
 * At the end of each turn of the event loop in which nothing was accepted, whether the accept backlog is full. Once others have to
 * wait also at each connection that is accepted: then the backlog is empty, even of a listener that is never without one.
 */
async function* fullBacklogs(server: NetServer, asked: number): AsyncGenerator<boolean> {
  let wake = () => {}
  let isCalm = false
  const onConnection = () => {
    isCalm = false
    wake()
  }
  server.on('connection', onConnection)
  try {
    for (;;) {
      const waited = performance.now() - asked
      await new Promise<void>((resolve) => {
        isCalm = true
        wake = waited < PATIENCE.others ? () => {} : resolve
        setImmediate(resolve)
      })
      yield server.listening && (isCalm || waited >= PATIENCE.others) && (await isBacklogFull(server, waited))
    }
  } finally {
    server.off('connection', onConnection)
  }
}

/**
 * Fills the accept backlog of a listener with a connection of our own, where it is empty: the system makes no other until the next
 * turn of the event loop, in which the listener has to be closed or accepts it. Returns whether it did.
 */
async function isBacklogFull(server: NetServer, waited: number): Promise<boolean> {
  const { address, port } = server.address() as AddressInfo
  const listener = handleOf(server)
  // a backlog that has room for one
  if (listener?.listen?.(0) !== 0) return false
  const plug = connect(port, LOOPBACK[address] ?? address).on('error', () => undefined)
  // Node connects at the next tick, which is no turn of the event loop. The system connects to itself while it is asked to
  await new Promise<void>((resolve) => process.nextTick(resolve))
  const isConnected = handleOf(plug)?.getpeername?.({}) === 0
  if (!isConnected && waited < PATIENCE.others) listener.listen(BACKLOG)
  // not before the caller has closed the listener
  setImmediate(() => plug.destroy())
  return isConnected
}
