import type { Page } from 'playwright-core'

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' }).first()

/** Connects the built-in wallet, with one of the ten accounts. */
export async function connect(page: Page, account: number): Promise<void> {
  await button(page, 'Connect wallet').click()
  await chooseBuiltIn(page, account)
}

/** Stores the built-in wallet as if an earlier visit had connected it. The page is a document in the origin of the console. */
export async function remember(page: Page, address: string | undefined): Promise<void> {
  await page.evaluate((account) => {
    localStorage.setItem('tidegate.wallet', JSON.stringify('tidegate.local'))
    localStorage.setItem('tidegate.account', JSON.stringify(account))
  }, address)
}

/** Connects it when the page asks for a wallet. */
export async function chooseBuiltIn(page: Page, account: number): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Built-in wallet' }).click()
  await changeTo(page, account)
}

/** Switches the connected wallet to another account. */
export async function changeTo(page: Page, account: number): Promise<void> {
  await openWallet(page)
  await chooseAccount(page, account)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** Chooses an account in the open dialog. `check` would fail unless the page draws the choice at once. */
export async function chooseAccount(page: Page, account: number): Promise<void> {
  const choice = page.getByLabel(`Account ${account}`)
  await choice.click()
  await page.locator('input[name=account]:checked').and(choice).waitFor()
}

/** Opens the menu of the connected wallet. */
export async function openWallet(page: Page): Promise<void> {
  await button(page, /^Wallet 0x/).click()
  await page.getByRole('dialog').waitFor()
}

/** Drops files on the publish page, and waits until `count` are uploaded. Default: all dropped files. */
export async function drop(
  page: Page,
  files: readonly { name: string; content: string }[],
  uploaded = files.length,
): Promise<void> {
  const dataTransfer = await page.evaluateHandle((dropped) => {
    const transfer = new DataTransfer()
    for (const { name, content } of dropped)
      transfer.items.add(new File([content], name, { type: 'text/csv', lastModified: 0 }))
    return transfer
  }, files)
  await page.locator('.drop').dispatchEvent('drop', { dataTransfer })
  await page.waitForFunction((count) => document.querySelectorAll('.file[data-status=done]').length === count, uploaded)
}

/** The steps of the publish page: files, description, price, review. */
const PUBLISHING: readonly ((page: Page) => Promise<void>)[] = [
  (page) =>
    drop(page, [
      { name: 'heights-2026.csv', content: 'hour,height\n0,4.2\n'.repeat(5_000) },
      { name: 'stations.csv', content: 'id,name\n1,Outer pier\n'.repeat(200) },
    ]),
  async (page) => {
    await button(page, 'Continue').click()
    await page.getByLabel('Name').fill('Heights of the tide, by the hour')
    await page
      .getByLabel('Description')
      .fill('Height of the water at the outer pier, by the hour, in metres above chart datum.')
    await page.getByLabel('Author').fill('Harbour Office')
    await page.getByLabel('Tags').fill('tide,csv,')
  },
  async (page) => {
    await button(page, 'Continue').click()
    await page.getByLabel('Paid').check()
    await page.getByLabel('Amount').fill('2.5')
  },
  async (page) => {
    await button(page, 'Continue').click()
    await button(page, 'Publish').waitFor()
  },
]

/** Fills in the publish page from one step to another. Default: from the first one. */
export async function publishUpTo(page: Page, step: 0 | 1 | 2 | 3, from = 0): Promise<void> {
  for (const act of PUBLISHING.slice(from, step + 1)) await act(page)
}

/** Opens a dialog of the first own asset. */
export async function openOwn(page: Page, action: 'Edit' | 'Revoke'): Promise<void> {
  await button(page, new RegExp(`^${action}: `)).click()
  await page.getByRole('dialog').locator('.dialog-actions').waitFor()
}
