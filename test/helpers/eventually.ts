/** Milliseconds after which a condition counts as failed, however busy the machine is. */
const NEVER = 240_000

/**
 * Milliseconds within which something must end "at once": more than any machine needs, and less than every time-out of
 * the service that would end it otherwise. Tests that use this set those to a minute or more.
 */
export const AT_ONCE = 30_000

/** Waits until a condition holds, polling it every `pause` milliseconds. Throws after `within` milliseconds. */
export async function eventually(condition: () => unknown, within = NEVER, pause = 10): Promise<void> {
  const deadline = Date.now() + within
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Did not come true within ${within} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
