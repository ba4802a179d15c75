import axe from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'

/** Has every page of a context bring axe. As a script of the browser it is none of the page's, so no policy forbids it. */
export async function withAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: axe.source })
}

/** What axe finds on a page as it is shown now: the rule, and the elements. */
export async function axeFindings(page: Page): Promise<string[]> {
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document, { resultTypes: ['violations'] }),
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  )
}
