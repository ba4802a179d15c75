import { Server as NetServer } from 'node:net'

/** Milliseconds that a turn of the event loop takes in which next to nothing happened. */
const SHORT_TURN = 0.1

/** Milliseconds after which the listener is closed in any case. */
const PATIENCE = 1000

/**
 * Closes a listener when the connections that the system has made are accepted: to close before resets them, and a proxy
 * sends no POST a second time. After a second it is closed in any case. Connections stay open.
 */
export async function closeListener(server: NetServer): Promise<void> {
  const asked = performance.now()
  for await (const isIdle of turns(server))
    if (isIdle || !server.listening || performance.now() - asked > PATIENCE) break
  NetServer.prototype.close.call(server)
}

/**
 * For each turn of the event loop, whether nothing was accepted in it and it was short, since in a long one a connection may
 * have come that is accepted in the next.
 */
async function* turns(server: NetServer): AsyncGenerator<boolean> {
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
