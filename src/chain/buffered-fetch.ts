import { setImmediate } from 'node:timers/promises'

/** Bytes of a body whose parsing the event loop notices. */
const LARGE = 262_144

/** The turn of the last large body. Of the process, since all of them are parsed by its one event loop. */
let lastTurn: Promise<void> = Promise.resolve()

/** Resolves in another iteration of the event loop for each caller, so that large bodies are not parsed in one. */
function turn(): Promise<void> {
  lastTurn = lastTurn.then(() => setImmediate())
  return lastTurn
}

/**
 * Returns a fetch for the chain library that resolves once the whole body has arrived. The library's own time-out ends
 * with the headers, so a node that sends headers and then stalls would never time out. Reading stops as soon as the
 * body exceeds `limit` bytes.
 */
export function bufferedFetch(limit: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const { body, status, headers } = response
    if (!body) return response
    const chunks: Uint8Array[] = []
    let size = 0
    // breaking out of the loop cancels the transfer; so does the library's signal
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > limit) break
    }
    if (size > LARGE) await turn()
    return new Response(size > 0 ? Buffer.concat(chunks) : null, { status, headers })
  }
}
