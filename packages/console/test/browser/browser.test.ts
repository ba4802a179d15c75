import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { NO_TROUBLE, observedPage, sharedBrowser } from '../../../../test/helpers/browser.js'
import { type Dev, startDevHere } from '../../../../test/helpers/dev.js'
import { eventually } from '../../../../test/helpers/eventually.js'

let dev: Dev
let browser: Browser
beforeAll(async () => {
  ;[dev, browser] = await Promise.all([startDevHere(), sharedBrowser()])
})

const own = () => [dev.facts.providerUrl, dev.facts.rpcUrl].map((url) => new URL(url).origin)

describe('the console of tidegate dev, in Chromium', () => {
  it('is served at the address, and contacts no other server', async () => {
    const { page, context, trouble } = await observedPage(browser, { origins: own() })
    await page.goto(dev.facts.providerUrl)
    expect(page.url()).toBe(`${dev.facts.providerUrl}/console/`)
    await page.waitForFunction(() => (document.body.textContent ?? '').trim() !== '')
    await page.goto(`${dev.facts.providerUrl}/console/asset/did:op:none`)
    await page.waitForFunction(() => (document.body.textContent ?? '').trim() !== '')
    await context.close()
    expect({ ...trouble, failed: [] }).toEqual(NO_TROUBLE)
  })

  it('may call the local chain, has its accounts, and runs nothing inline or foreign', async () => {
    const { page, context, trouble } = await observedPage(browser, { origins: own() })
    await page.goto(`${dev.facts.providerUrl}/console/`)
    const seen = await page.evaluate(async () => {
      const config = await (await fetch('/console/config.json')).json()
      const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(config.chains[0].rpcUrl, { method: 'POST', headers, body: JSON.stringify(call) })
      const script = document.createElement('script')
      const assigned = await Promise.resolve()
        .then(() => {
          script.textContent = 'globalThis.ran = true'
          document.body.append(script)
        })
        .then(
          () => 'assigned',
          (error: Error) => error.name,
        )
      const elsewhere = await fetch('http://127.0.0.1:9/').catch((error: Error) => error.name)
      return { config, chain: (await answer.json()).result, ran: 'ran' in globalThis, assigned, elsewhere }
    })
    expect(seen).toMatchObject({ chain: '0x2324', ran: false, assigned: 'TypeError', elsewhere: 'TypeError' })
    expect(seen.config.local.accounts).toEqual(dev.facts.accounts.map(({ privateKey }) => privateKey))
    expect(seen.config.chains).toMatchObject([{ chainId: 8996, name: 'Local network', currency: { symbol: 'ETH' } }])
    await eventually(() => trouble.violations.length >= 2)
    expect(trouble.violations.join()).toMatch(
      /require-trusted-types-for.*connect-src|connect-src.*require-trusted-types-for/s,
    )
    await context.close()
  })
})
