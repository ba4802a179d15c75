/**
 * A fetch for the chain library that is done when the whole answer is there. The library's own time-out ends with the
 * headers, so that a node which sends these and then nothing would be waited for without end. Of an answer longer
 * than `limit` bytes no more is read than shows it.
 */
export function wholeAnswer(limit: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const { body, status, headers } = response
    if (!body) return response
    const chunks: Uint8Array[] = []
    let size = 0
    // leaving the loop ends the transfer; so does the library's signal
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > limit) break
    }
    return new Response(size > 0 ? Buffer.concat(chunks) : null, { status, headers })
  }
}
