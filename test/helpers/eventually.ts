/** Milliseconds after which a condition counts as failed, however busy the machine is. */
const NEVER = 240_000

/**
 * Milliseconds within which something must end "at once": more than any machine needs, and less than every time-out of
 * the service that would end it otherwise. Tests that use this set those to a minute or more.
 */
export const AT_ONCE = 30_000

/** Milliseconds between two looks at a condition: the first, and the longest, where it takes a second or more. */
const PAUSE = { first: 10, longest: 60 }

/**
 * Waits until a condition holds, polling it every `fixed` milliseconds; by default more and more seldom, as many conditions are
 * requests that take what others wait for. Throws after `within` milliseconds.
 */
export async function eventually(condition: () => unknown, within = NEVER, fixed?: number): Promise<void> {
  const deadline = Date.now() + within
  for (let next = PAUSE.first; !(await condition()); next = Math.min(PAUSE.longest, 1.1 * next)) {
    const pause = fixed ?? next
    if (Date.now() > deadline) throw new Error(`Did not come true within ${within} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
