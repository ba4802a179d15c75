import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * What axe finds on a page as it is shown now: the rule, and the elements. A page gets axe when it is first looked at, by the
 * debugger, which no policy of the page forbids: with every load of a page it would cost as much as a look.
 */
export async function axeFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
      resultTypes: ['violations'],
      // style sheets are only read for an experimental rule, which does not run
      preload: { assets: ['media'] },
    }),
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  )
}
