import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { axeFindings } from '../../../../test/helpers/axe.js'
import { NO_TROUBLE, observedPage, sharedBrowser } from '../../../../test/helpers/browser.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { buildHere, runHere } from '../../../../test/helpers/command-here.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask } from '../../../../test/helpers/requests.js'
import { startHere } from '../../../../test/helpers/service-here.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { World } from '../../../../test/helpers/world.js'

const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="#a50"/></svg>'
const OPERATOR = {
  name: 'Tide & Tables <Ltd.>',
  url: 'https://tides.example.org/',
  contact: 'help@tides.example.org',
  imprint: 'https://tides.example.org/imprint',
  privacy: 'https://tides.example.org/privacy',
  terms: 'https://tides.example.org/terms',
}

const PHONE = { width: 390, height: 900 }
const DESK = { width: 1440, height: 900 }

/** Whose shop it is: OPERATOR_NAME and the other settings of an operator. */
describe('the operator', () => {
  const folder = newFolder()
  const logo = join(folder, 'logo')
  const purgatory = join(folder, 'purgatory.json')
  const office = newWallet()
  let world: World
  let base: string
  const settings = (changed: NodeJS.ProcessEnv = {}) =>
    world.beside({
      ...{
        STATE_DIR: join(folder, 'state'),
        CONSOLE: 'true',
        OPERATOR_NAME: OPERATOR.name,
        OPERATOR_URL: OPERATOR.url,
      },
      ...{ OPERATOR_CONTACT: OPERATOR.contact, IMPRINT_URL: OPERATOR.imprint, PRIVACY_URL: OPERATOR.privacy },
      ...{ TERMS_URL: OPERATOR.terms, OPERATOR_LOGO: logo },
      ...{ VERIFIED_PUBLISHERS: `${office.address}=Harbour Office` },
      ...{ PURGATORY_ASSETS: purgatory, PURGATORY_INTERVAL: '100', ...changed },
    })

  beforeAll(async () => {
    writeFileSync(logo, PICTURE)
    writeFileSync(purgatory, '[]')
    world = await World.start()
    base = (await startHere(settings())).url
  })

  it('is named at /, in OpenAPI and in the settings of the console', async () => {
    expect((await ask(`${base}/`)).json.operator).toEqual(OPERATOR)
    const { info } = (await ask(`${base}/openapi.json`)).json as { info: object }
    const { name, url, contact: email, terms: termsOfService } = OPERATOR
    expect(info).toMatchObject({ termsOfService, contact: { name, url, email } })
    const { json } = await ask(`${base}/console/config.json`)
    expect([json.operator, json.logo]).toEqual([OPERATOR, 'operator-logo'])
    expect((await ask(`${world.network.providerUrl}/`)).json).not.toHaveProperty('operator')
  })

  it('is shown in head and foot of the console, on telephone and desk', async () => {
    const browser = await sharedBrowser()
    const { context, page, trouble } = await observedPage(browser, { origins: [base], viewport: PHONE })
    await page.goto(`${base}/console/status`)
    const foot = page.locator('footer.foot')
    await foot.waitFor()
    expect(await foot.innerText()).toContain(OPERATOR.name)
    const links = await foot.locator('a').evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href))
    const { url, contact, imprint, privacy, terms } = OPERATOR
    expect(links).toEqual([url, `mailto:${contact}`, imprint, privacy, terms])
    await eventually(async () => (await page.title()).includes(OPERATOR.name))
    const picture = page.locator('img.logo')
    await eventually(() => picture.evaluate((one) => (one as HTMLImageElement).naturalWidth > 0))
    for (const viewport of [PHONE, DESK]) {
      await page.setViewportSize(viewport)
      for (const shown of [foot, picture]) await expect.poll(() => shown.isVisible()).toBe(true)
      // the bar of pages at the foot of a telephone covers none of it
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
      const last = foot.locator('a').last()
      await last.click({ trial: true })
      expect(await axeFindings(page)).toEqual([])
    }
    expect(trouble).toEqual(NO_TROUBLE)
    await context.close()
  })

  it('takes an asset down or blocks it, and the console does not offer it', async () => {
    const { did } = await world.publishUrl(world.storage.file('/tides.csv', Buffer.from('tide')))
    await eventually(async () => (await ask(`${base}/api/aquarius/assets/ddo/${did}`)).status === 200)
    const browser = await sharedBrowser()
    const { page, trouble } = await observedPage(browser, { origins: [base], viewport: PHONE })
    const main = page.locator('main')
    const shown = (words: string) => eventually(async () => (await main.innerText()).includes(words))
    await page.goto(`${base}/console/asset/${did}`)
    await shown('For sale')
    writeFileSync(purgatory, JSON.stringify([{ did, reason: 'stolen' }]))
    await eventually(async () => (await ask(`${base}/api/aquarius/assets/ddo/${did}`)).text.includes('stolen'))
    await page.reload()
    await shown('neither sells nor delivers')
    expect(await main.innerText()).not.toContain('For sale')
    expect((await runHere(['takedown', did, '--reason', 'court order'], settings())).status).toBe(0)
    await eventually(async () => (await ask(`${base}/api/aquarius/assets/ddo/${did}`)).status === 451)
    await page.reload()
    await shown('This asset was taken down')
    expect(await main.innerText()).toContain(`court order. Contact of the operator: ${OPERATOR.contact}`)
    // the refused requests are the only trouble
    expect(JSON.stringify(trouble)).not.toMatch(/TypeError|policy/i)
  })

  it('says which account sells, and whose name the operator has verified', async () => {
    const stranger = await world.somebody()
    const hostile = `\u202eHarb\u043eur Office <b>\u2713</b> Verified ${'x'.repeat(10_000)}`
    const sold = (publisher: Awaited<typeof stranger>, author: string) =>
      world.publishUrl(world.storage.file('/heights.csv', Buffer.from('a')), {
        publisher,
        adjust: ({ metadata }) => Object.assign(metadata, { name: 'Heights', author }),
      })
    const own = await sold(await world.somebody(office), 'Harbour Office')
    const other = await sold(stranger, hostile)
    await eventually(async () => (await ask(`${base}/api/aquarius/assets/ddo/${other.did}`)).status === 200)
    const short = (account: string) => `${account.slice(0, 6)}…${account.slice(-4)}`
    const browser = await sharedBrowser()
    const { context, page, trouble } = await observedPage(browser, { origins: [base], viewport: PHONE })
    const card = ({ did }: { did: string }) => page.locator('.card', { has: page.locator(`a[href$="${did}"]`) })
    /** Runs a check on a telephone and on a desk, and looks for faults of the page there. */
    const onBoth = async (check: () => Promise<void>) => {
      for (const viewport of [PHONE, DESK]) {
        await page.setViewportSize(viewport)
        await check()
        const fits = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
        expect([fits, await axeFindings(page)]).toEqual([true, []])
      }
    }
    await page.goto(`${base}/console/asset/${other.did}`)
    await page.locator('.byline').waitFor()
    await onBoth(async () => {
      expect(await page.locator('main').innerText()).toContain('not from the verified publisher Harbour Office')
      expect(await page.locator(`.byline a[title="${stranger.address}"]`).innerText()).toBe(short(stranger.address))
    })

    await page.goto(`${base}/console/?q=heights`)
    await card(own).waitFor()
    await onBoth(async () => {
      const [ours, theirs] = [await card(own).innerText(), await card(other).innerText()]
      expect(ours).toContain(`Harbour Office\nVerified\n${short(office.address)}`)
      expect(theirs).toContain(`${short(stranger.address)}\nNot verified`)
      expect(await card(other).locator('.verified, b').count()).toBe(0)
      // the link to the seller lies above that to the asset
      await card(own).locator(`a[title="${office.address}"]`).click({ trial: true })
    })

    await card(own).locator(`a[title="${office.address}"]`).click()
    await page.locator('.seller-head .verified').waitFor()
    expect(page.url()).toBe(`${base}/console/seller/${office.address}`)
    expect(await page.locator('h1').innerText()).toBe('Harbour Office')
    await card(own).waitFor()
    expect([await page.locator('.card').count(), await card(other).count()]).toEqual([1, 0])
    await onBoth(() => expect.poll(() => page.locator('.seller-head .verified').isVisible()).toBe(true))

    await page.goto(`${base}/console/seller/${newWallet().address}`)
    await page.getByText('This account sells nothing here').waitFor()
    expect(trouble).toEqual(NO_TROUBLE)
    await context.close()
  })

  it.each([
    ['VERIFIED_PUBLISHERS', '0x12=Harbour', 'entry 1 must be an address'],
    ['OPERATOR_NAME', 'two\nlines', 'one line of at most 100 characters'],
    ['OPERATOR_URL', 'javascript:alert(1)', 'http(s) URL'],
    ['OPERATOR_CONTACT', 'somebody', 'an e-mail address or an http(s) URL'],
    ['TERMS_URL', 'https://user:secret@example.org', 'must not hold a user'],
    ['OPERATOR_LOGO', '/nowhere/logo.svg', 'cannot be read (ENOENT)'],
    ['OPERATOR_LOGO', import.meta.filename, 'is no SVG, PNG, WebP or JPEG'],
  ])('is refused with a reason if %s is wrong', async (name, value, reason) => {
    const { status, stderr } = await buildHere(settings({ [name]: value, STATE_DIR: join(folder, 'refused') }))
    expect([status, stderr]).toEqual([2, expect.stringContaining(reason)])
    expect(stderr).toContain(name)
    expect(stderr).not.toContain('secret')
  })
})
