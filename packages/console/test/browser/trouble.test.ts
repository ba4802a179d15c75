import { describe, expect, it } from 'vitest'
import { axeFindings } from '../../../../test/helpers/axe.js'
import { NO_TROUBLE } from '../../../../test/helpers/browser.js'
import { button, NARROW, observed, page, published, useDevPage, visit, visitAs } from './dev-page.js'

const SCRIPT = '<img src=x onerror="globalThis.ran=1"><script>globalThis.ran=1</script>'
/** Reverses the following text: "exe.gnp" looks like "png.exe". */
const OVERRIDE = '\u202e'
const LINK = 'javascript:globalThis.ran=1'
const EMOJI = '👩🏽‍🚀🏳️‍🌈'
const LONG = 'W'.repeat(10_000)

useDevPage()

describe('hostile text of the chain', () => {
  it('is shown as text on every page, runs nowhere, and keeps the layout', async () => {
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
    await visitAs(0, 'mine/assets')
    await looked('<img src=x onerror=')
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })
})

describe('a description', () => {
  it('is Markdown, whose HTML, pictures and odd links do nothing', async () => {
    const description = [
      '## Gauges',
      'Read **every** hour. See [the manual](https://tides.example.org/manual).',
      '- one\n- two',
      '| gauge | height |\n|---|---|\n| north | 4.2 |',
      `[run](${LINK}) [file](file:///etc/passwd) [data](data:text/html,x) [user](https://a:b@evil.example)`,
      `![a picture](https://evil.example/track.png) ${SCRIPT}`,
    ].join('\n\n')
    const { did } = await published({ name: 'Gauges', description, price: 'free' })
    await visit(`asset/${did}`)
    const shown = page.locator('.markdown')
    await shown.getByRole('heading', { name: 'Gauges' }).waitFor()
    expect(await shown.locator('strong').innerText()).toBe('every')
    await expect.poll(() => shown.locator('li').allInnerTexts()).toEqual(['one', 'two'])
    await expect.poll(() => shown.locator('td').allInnerTexts()).toEqual(['north', '4.2'])
    const links = await shown
      .locator('a')
      .evaluateAll((all) => all.map((one) => [(one as HTMLAnchorElement).href, one.getAttribute('rel')]))
    expect(links).toEqual([['https://tides.example.org/manual', 'nofollow noopener noreferrer']])
    expect(await shown.innerText()).toContain('the manual (tides.example.org)')
    for (const text of [`[run](${LINK})`, '[picture: a picture]', SCRIPT])
      expect(await shown.innerText()).toContain(text)
    expect(await page.evaluate(() => ['ran' in globalThis, document.querySelectorAll('main img').length])).toEqual([
      false,
      0,
    ])
    expect(await axeFindings(page)).toEqual([])
    const deep = await published({ name: 'Deep', description: `${'> '.repeat(500)}deep`, price: 'free' })
    await visit(`asset/${deep.did}`)
    await shown.getByText('> > >').first().waitFor()
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })
})

describe('a search', () => {
  it('follows each letter, even if the browser limits changes of the address', async () => {
    await published({ name: 'Heights beside the lighthouse', price: 'free' })
    await visit('')
    await page.evaluate(() => {
      history.replaceState = () => {
        throw new DOMException('Attempt to use history.replaceState() more than 100 times.', 'SecurityError')
      }
    })
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

describe('a provider that does not list hidden assets', () => {
  it('shows the others, and Mine reports that', async () => {
    const { did } = await published({ name: 'Revoked, and out of reach', price: 'free' })
    const list = '**/api/aquarius/assets/hidden?*'
    await page.route(list, (one) => one.fulfill({ status: 404, json: { error: 'not found' } }))
    await visitAs(0, 'mine/assets')
    const notice = page.getByText('This provider does not list assets that are revoked or retired')
    await notice.waitFor()
    const own = page.locator(`.asset-row[data-did="${did}"]`)
    await own.getByRole('button', { name: /^Revoke: / }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await own.waitFor({ state: 'detached' })
    await notice.waitFor()
    await page.unroute(list)
    await page.reload()
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
