import { Server as NetServer } from 'node:net'

/** Milliseconds of an event loop turn without work. */
const SHORT_TURN = 0.1

/** Milliseconds until the listener closes in any case. */
const PATIENCE = 1000

/**
 * Closes a listener after the system's pending connections are accepted: closing earlier resets them, and a proxy does
 * not repeat a POST. Closes after a second at the latest. Open connections stay open.
 */
export async function closeListener(server: NetServer): Promise<void> {
  const asked = performance.now()
  for await (const isIdle of turns(server))
    if (isIdle || !server.listening || performance.now() - asked > PATIENCE) break
  NetServer.prototype.close.call(server)
}

/**
 * Yields for each turn of the event loop whether it was short and accepted no connection. A connection that arrives in a
 * long turn is accepted in the next one.
 */
async function* turns(server: NetServer): AsyncGenerator<boolean> {
  let accepted = 0
  const count = () => void accepted++
  server.on('connection', count)
  try {
    // the first turn may be past its accept phase
    for (let isFirst = true; ; isFirst = false) {
      const [before, begun] = [accepted, performance.now()]
      await new Promise(setImmediate)
      yield !isFirst && accepted === before && performance.now() - begun < SHORT_TURN
    }
  } finally {
    server.off('connection', count)
  }
}
