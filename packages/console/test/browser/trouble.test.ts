import { createHash } from 'node:crypto'
import { createTidegate, type PublishRequest } from '@tidegate/client'
import type { Browser, Page } from 'playwright-core'
import { createPublicClient, createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeTo, connect, drop } from '../../../../scripts/screenshots/steps.js'
import { axeFindings, withAxe } from '../../../../test/helpers/axe.js'
import { launchBrowser, NO_TROUBLE, type Observed, observedPage } from '../../../../test/helpers/browser.js'
import { type DevProcess, startDevOnContracts } from '../../../../test/helpers/dev.js'
import { eventually } from '../../../../test/helpers/eventually.js'

const NARROW = { width: 390, height: 844 }
const SCRIPT = '<img src=x onerror="globalThis.ran=1"><script>globalThis.ran=1</script>'
/** Reverses the following text: "exe.gnp" looks like "png.exe". */
const OVERRIDE = '\u202e'
const LINK = 'javascript:globalThis.ran=1'
const EMOJI = '👩🏽‍🚀🏳️‍🌈'
const LONG = 'W'.repeat(10_000)

let dev: DevProcess
let browser: Browser
let observed: Observed
let page: Page
beforeAll(async () => {
  ;[dev, browser] = await Promise.all([startDevOnContracts(), launchBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await dev?.stop()
})

beforeEach(async () => {
  const origins = [dev.facts.providerUrl, dev.facts.rpcUrl].map((url) => new URL(url).origin)
  observed = await observedPage(browser, { origins, reducedMotion: 'reduce', viewport: NARROW, acceptDownloads: true })
  page = observed.page
  page.setDefaultTimeout(120_000)
})
afterEach(() => observed.context.close())

const visit = (path: string) => page.goto(`${dev.facts.providerUrl}/console/${path}`)
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' }).first()

/** Publishes as the first account, and waits until the asset is indexed. */
async function published(request: Omit<PublishRequest, 'files'>, fileName = 'data.csv', content = 'a,b\n1,2\n') {
  const { providerUrl: url, rpcUrl, accounts } = dev.facts
  const account = privateKeyToAccount(accounts[0]?.privateKey as `0x${string}`)
  const publisher = createTidegate({ url, wallet: createWalletClient({ account, transport: http(rpcUrl) }) })
  const { object } = await publisher.upload(new File([content], fileName, { type: 'text/csv' }))
  const { did } = await publisher.publish({ files: [object], ...request })
  await eventually(() => publisher.asset(did).then(Boolean, () => false))
  return { did, told: () => publisher.asset(did) }
}

/** Replaces the pending transaction of an account by an empty one with a higher fee, like "Cancel" of a wallet. */
async function cancelled(key: `0x${string}`): Promise<void> {
  const account = privateKeyToAccount(key)
  const transport = http(dev.facts.rpcUrl)
  const nonce = await createPublicClient({ transport }).getTransactionCount(account)
  const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n }
  await createWalletClient({ account, transport }).sendTransaction({ chain: null, to: account.address, nonce, ...fees })
}

const rpc = (method: string, ...params: unknown[]) =>
  fetch(dev.facts.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })

describe('hostile text of the chain', () => {
  it('is shown as text on every page, runs nowhere, and keeps the layout', async () => {
    await withAxe(observed.context)
    const { did } = await published(
      {
        name: `${SCRIPT}${OVERRIDE}exe.gnp ${EMOJI}${LONG}`,
        description: `${LINK} ${SCRIPT} https://evil.example/ ${OVERRIDE}${EMOJI}${LONG}`,
        author: `${SCRIPT}${LONG}`,
        license: LINK,
        tags: [SCRIPT, `${OVERRIDE}gat`, EMOJI, LONG.slice(0, 200)],
        price: 'free',
      },
      `${OVERRIDE}vsc.<b>${'n'.repeat(150)}.csv`,
    )
    const looked = async (text: string) => {
      await page.getByText(text).first().waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(NARROW.width)
      const made = await page.evaluate(() => ({
        ran: 'ran' in globalThis,
        pictures: document.querySelectorAll('main img, main script').length,
        links: [...document.querySelectorAll('a')].filter(({ href }) => !href.startsWith(location.origin)).length,
        overrides: document.body.innerText.includes('\u202e'),
      }))
      expect(made).toEqual({ ran: false, pictures: 0, links: 0, overrides: false })
      expect(await axeFindings(page)).toEqual([])
    }
    await visit('')
    await looked('<img src=x onerror=')
    await visit(`asset/${did}`)
    await looked(LINK)
    expect(await page.locator('h1').textContent()).toContain(SCRIPT)
    await button(/^Show .* more characters$/).click()
    await looked(LINK)
    await visit('mine/assets')
    await connect(page, 0)
    await looked('<img src=x onerror=')
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })
})

describe('a search', () => {
  it('follows each letter, even if the browser limits changes of the address', async () => {
    await published({ name: 'Heights beside the lighthouse', price: 'free' })
    await observed.context.addInitScript(() => {
      history.replaceState = () => {
        throw new DOMException('Attempt to use history.replaceState() more than 100 times.', 'SecurityError')
      }
    })
    await visit('')
    const card = page.getByRole('link', { name: 'Heights beside the lighthouse' })
    await card.waitFor()
    const search = page.getByRole('searchbox')
    await search.pressSequentially('lightx')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await search.press('Backspace')
    await card.waitFor()
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })
})

describe('the catalogue', () => {
  it('shows the prices that the node returned after the first response', async () => {
    await published({ name: 'Priced late', price: 'free' })
    const query = '**/assets/query'
    let answers = 0
    await page.route(query, async (route) => {
      const response = await route.fetch()
      const found = await response.json()
      if (!found.hits.hits.length || ++answers > 1) return route.fulfill({ response })
      for (const { _source } of found.hits.hits) _source.indexedMetadata.stats = []
      return route.fulfill({ response, json: found })
    })
    await visit('')
    const card = page.getByRole('article').filter({ hasText: 'Priced late' })
    await card.getByText('Price not known').waitFor()
    await card.getByText('Free', { exact: true }).waitFor()
    await page.unroute(query)
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })
})

describe('a reloaded page', () => {
  it('waits for a pending transaction, and orders nothing twice', async () => {
    const { did, told } = await published({ name: 'Ordered once', price: 'free' })
    await visit(`asset/${did}`)
    await connect(page, 3)
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
    await visit(`asset/${did}`)
    await connect(page, 3)
    await rpc('evm_setAutomine', false)
    try {
      await button('Get it for free').click()
      await page.getByText('Sent, waiting to be mined').first().waitFor()
    } finally {
      await rpc('evm_setAutomine', true)
      await rpc('evm_mine')
    }
    await page.getByText('You already have this').waitFor()
    expect(await button('1 pending transaction').count()).toBe(0)
    expect(await button('Show transactions').count()).toBe(1)
  })

  it('does not wait for a transaction that the wallet replaced', async () => {
    const { did } = await published({ name: 'Ordered by another one', price: 'free' })
    await visit(`asset/${did}`)
    await connect(page, 3)
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
    await visit('publish')
    await connect(page, 3)
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
    await visit('publish')
    await connect(page, 3)
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
    await visit('publish')
    await connect(page, 3)
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

describe('a node that returns only the logs of its newest blocks', () => {
  it('hides revoked assets: Mine reports that, and that older orders are missing', async () => {
    await withAxe(observed.context)
    const { did } = await published({ name: 'Revoked, and out of reach', price: 'free' })
    await page.route(dev.facts.rpcUrl, async (one) => {
      const call = one.request().postDataJSON() as { id: number; method: string; params: [{ fromBlock?: string }] }
      const isOld = call.method === 'eth_getLogs' && BigInt(call.params[0]?.fromBlock ?? 0) < 1n
      if (!isOld) return one.continue()
      const error = { code: -32_005, message: 'query exceeds the range of 10000 blocks' }
      await one.fulfill({ json: { jsonrpc: '2.0', id: call.id, error } })
    })
    await visit('mine/assets')
    await connect(page, 0)
    const notice = page.getByText('Assets that are revoked or retired may be missing here')
    await notice.waitFor()
    const own = page.locator(`.asset-row[data-did="${did}"]`)
    await own.getByRole('button', { name: /^Revoke: / }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await own.waitFor({ state: 'detached' })
    await notice.waitFor()
    await page.unroute(dev.facts.rpcUrl)
    await page.reload()
    // the chain lists it, and its name is stored
    await own.getByText('Revoked, and out of reach').waitFor()
    await own.getByText('Revoked', { exact: true }).waitFor()
    expect(await notice.count()).toBe(0)
    expect(await axeFindings(page)).toEqual([])
  })
})

describe('a failing network', () => {
  it('is reported with a remedy, and the page continues when it returns', async () => {
    const { did } = await published({ name: 'There and back', price: 'free' })
    await visit('')
    await page.getByRole('link', { name: 'There and back' }).waitFor()
    await observed.context.setOffline(true)
    await page.getByText('You are offline.').waitFor()
    await page.getByRole('link', { name: 'There and back' }).click()
    await observed.context.setOffline(false)
    await page.getByRole('heading', { level: 1, name: 'There and back' }).waitFor()
    expect(await page.getByText('You are offline.').count()).toBe(0)
    expect(page.url()).toContain(encodeURIComponent(did).replaceAll('%3A', ':'))
  })

  it('reloads the page once if a part of it was missing', async () => {
    await visit('')
    await page.getByRole('link', { name: 'There and back' }).waitFor()
    const part = '**/console/assets/status-*.js'
    const settings = '**/console/config.json'
    await page.route(part, (one) => one.abort())
    await page.route(settings, (one) => one.abort())
    await page.getByRole('link', { name: 'Status' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'This page could not be loaded' }).waitFor()
    const asked = page.waitForRequest(settings)
    await asked
    const reloaded = page.waitForEvent('load')
    await page.unroute(settings)
    await reloaded
    await page.getByRole('heading', { level: 1, name: 'This page could not be loaded' }).waitFor()
    const kept = await page.evaluate(() => sessionStorage.getItem('tidegate.reloaded'))
    expect(Number(kept)).toBeGreaterThan(0)
    await page.unroute(part)
    await button('Try again').click()
    await page.getByRole('heading', { level: 1, name: 'Status' }).waitFor()
    expect(await page.evaluate(() => sessionStorage.getItem('tidegate.reloaded'))).toBe(kept)
  })

  it('or provider is reported with its reason and a button to retry', async () => {
    const refuse = { status: 503, json: { error: { code: 'SEARCH_UNAVAILABLE', message: 'The search is busy.' } } }
    await page.route('**/api/aquarius/assets/query', (one) => one.fulfill(refuse))
    await visit('')
    await page.getByRole('heading', { name: 'The search did not work' }).waitFor()
    await page.unroute('**/api/aquarius/assets/query')
    await button('Try again').click()
    await page.getByRole('link', { name: 'There and back' }).waitFor()
    await page.route('**/console/config.json', (one) => one.abort())
    await page.reload()
    await page.getByRole('heading', { name: 'The provider does not answer' }).waitFor()
    await page.unroute('**/console/config.json')
    await button('Try again').click()
    await page.getByRole('link', { name: 'There and back' }).waitFor()
  })
})
