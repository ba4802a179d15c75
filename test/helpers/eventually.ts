/** Waits until a condition holds, looking at it every `pause` milliseconds. Throws after `within` milliseconds. */
export async function eventually(condition: () => unknown, within = 20_000, pause = 10): Promise<void> {
  const deadline = Date.now() + within
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Did not come true within ${within} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
