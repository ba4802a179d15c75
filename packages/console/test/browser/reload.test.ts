import { createHash } from 'node:crypto'
import type { Page } from 'playwright-core'
import { createPublicClient, createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { changeTo, connect, drop } from '../../../../scripts/screenshots/steps.js'
import { NO_TROUBLE } from '../../../../test/helpers/browser.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { button, dev, observed, page, published, rpc, useDevPage, visit, visitAs } from './dev-page.js'

useDevPage()

/** Replaces the pending transaction of an account by an empty one with a higher fee, like "Cancel" of a wallet. */
async function cancelled(key: `0x${string}`): Promise<void> {
  const account = privateKeyToAccount(key)
  const transport = http(dev.facts.rpcUrl)
  const nonce = await createPublicClient({ transport }).getTransactionCount(account)
  const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n }
  await createWalletClient({ account, transport }).sendTransaction({ chain: null, to: account.address, nonce, ...fees })
}

describe('a reloaded page', () => {
  it('waits for a pending transaction, and orders nothing twice', async () => {
    const { did, told } = await published({ name: 'Ordered once', price: 'free' })
    await visitAs(3, `asset/${did}`)
    await button('Get it for free').waitFor()
    await rpc('evm_setAutomine', false)
    try {
      await button('Get it for free').click()
      await button('1 pending transaction').waitFor()
      await page.getByText('Sent, waiting to be mined').first().waitFor()
      await page.reload()
      await page.getByText('It continues without this page').waitFor()
      expect(await button('Get it for free').count()).toBe(0)
    } finally {
      await rpc('evm_setAutomine', true)
      await rpc('evm_mine')
    }
    await page.getByText('You already have this').waitFor()
    await eventually(async () => (await told()).orders === 1)
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })

  it('shows no transaction as pending whose receipt it has seen', async () => {
    const { did } = await published({ name: 'Mined late', price: 'free' })
    await visitAs(3, `asset/${did}`)
    await rpc('evm_setAutomine', false)
    try {
      await button('Get it for free').click()
      await page.getByText('Sent, waiting to be mined').first().waitFor()
    } finally {
      await rpc('evm_setAutomine', true)
      await rpc('evm_mine')
    }
    await page.getByText('You already have this').waitFor()
    await expect.poll(() => button('1 pending transaction').count()).toBe(0)
    await expect.poll(() => button('Show transactions').count()).toBe(1)
  })

  it('does not wait for a transaction that the wallet replaced', async () => {
    const { did } = await published({ name: 'Ordered by another one', price: 'free' })
    await visitAs(3, `asset/${did}`)
    const key = dev.facts.accounts[3]?.privateKey as `0x${string}`
    await rpc('evm_setAutomine', false)
    try {
      await button('Get it for free').click()
      await page.getByText('Sent, waiting to be mined').first().waitFor()
      // the nonce is known after the journal's first check
      await page.waitForFunction(() => JSON.stringify(localStorage).includes(String.raw`\"nonce\":`))
      await page.reload()
      await page.getByText('It continues without this page').waitFor()
      await cancelled(key)
    } finally {
      await rpc('evm_setAutomine', true)
      await rpc('evm_mine')
    }
    await button('Get it for free').click()
    await page.getByText('You already have this').waitFor()
    await button('Show transactions').click()
    await page.getByText('Replaced in the wallet by another transaction').waitFor()
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })

  it('resumes an upload when the file is chosen again', async () => {
    const content = 'hour,height\n0,4.2\n'.repeat(60_000)
    const file = { name: 'heights.csv', content }
    await visitAs(3, 'publish')
    let [held, reloaded] = [false, false]
    // the beginning arrives, and the connection breaks. The route stays: removing it may lose a running request
    await page.route('**/api/services/uploads/*', async (one) => {
      if (reloaded || one.request().method() !== 'PATCH') return one.continue()
      held = true
    })
    await drop(page, [file], 0)
    await eventually(() => held)
    reloaded = true
    await page.reload()
    await page.locator('.file[data-status=needs-file]').waitFor()
    await drop(page, [{ ...file, content: `${content} ` }])
    await page.getByText('is not the same file as before').waitFor()
    await drop(page, [file], 2)
    const row = page.locator('.file').first()
    expect(await row.textContent()).toContain(createHash('sha256').update(content).digest('hex'))
  })
})

describe('files that are dropped before a wallet is connected', () => {
  it('are uploaded after the connection, and do not make the browser leave the page', async () => {
    await visit('publish')
    await page.getByText('Connect a wallet to upload').waitFor()
    await drop(page, [{ name: 'early.csv', content: 'a,b\n1,2\n' }], 0)
    await page.getByText('One file is uploaded once a wallet is connected.').waitFor()
    await connect(page, 3)
    await page.locator('.file[data-status=done]').waitFor()
    expect(await page.locator('.file').textContent()).toContain('early.csv')
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })
})

describe('a draft that is open in two tabs', () => {
  it('is the same in both, with an upload of one of them, and survives a reload of either', async () => {
    await visitAs(3, 'publish')
    const second = await observed.context.newPage()
    second.setDefaultTimeout(120_000)
    await second.goto(page.url())
    await second.getByRole('button', { name: 'Continue' }).waitFor()
    const row = (tab: Page, status: string) => tab.locator(`.file[data-status=${status}]`)
    let goOn = (): void => undefined
    const held = new Promise<void>((resolve) => {
      goOn = resolve
    })
    let isSending = false
    await page.route('**/api/services/uploads/*', async (one) => {
      isSending ||= one.request().method() === 'PATCH'
      if (one.request().method() === 'PATCH') await held
      await one.continue()
    })
    await drop(page, [{ name: 'slow.csv', content: 'a,b\n1,2\n' }], 0)
    await row(second, 'uploading').waitFor()
    // two tabs that request a token of one account can overtake each other's nonce: one is refused, and signs again
    await eventually(() => isSending)
    await drop(second, [{ name: 'quick.csv', content: 'c,d\n3,4\n' }], 1)
    await row(page, 'done').waitFor()
    goOn()
    for (const tab of [page, second])
      await tab.waitForFunction(() => document.querySelectorAll('.file[data-status=done]').length === 2)
    await second.getByRole('button', { name: 'Continue' }).click()
    await second.getByLabel('Name').fill('In two tabs')
    await page.getByRole('button', { name: 'Continue' }).click()
    expect(await page.getByLabel('Name').inputValue()).toBe('In two tabs')
    await page.getByLabel('Author').fill('The first')
    await eventually(async () => (await second.getByLabel('Author').inputValue()) === 'The first')
    for (const tab of [second, page]) {
      await tab.reload()
      await tab.getByText('In two tabs').first().waitFor()
      const stored = await tab.evaluate(() => localStorage.getItem('tidegate.draft'))
      const files = [{ status: 'done' }, { status: 'done' }]
      expect(JSON.parse(stored ?? '')).toMatchObject({ name: 'In two tabs', author: 'The first', files })
    }
    await second.getByRole('button', { name: 'Start over' }).click()
    await second.getByRole('dialog').getByRole('button', { name: 'Start over' }).click()
    for (const tab of [page, second]) {
      await tab.getByRole('list', { name: 'Step 1 of 4' }).waitFor()
      expect(await tab.locator('.file').count()).toBe(0)
    }
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })
})

describe('another account of the wallet', () => {
  it('signs nothing for the first one: a running upload continues', async () => {
    await visitAs(3, 'publish')
    let goOn = (): void => undefined
    const held = new Promise<void>((resolve) => {
      goOn = resolve
    })
    let asked = false
    await page.route('**/api/services/nonce?*', async (one) => {
      asked = true
      await held
      await one.continue()
    })
    await drop(page, [{ name: 'mine.csv', content: 'a,b\n1,2\n' }], 0)
    await eventually(() => asked)
    await changeTo(page, 4)
    goOn()
    await page.locator('.file[data-status=done]').waitFor()
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })
})
