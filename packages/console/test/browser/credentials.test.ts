import { ethers } from 'ethers'
import { expect, it } from 'vitest'
import { NO_TROUBLE } from '../../../../test/helpers/browser.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { SSI } from '../../../../test/helpers/policy-asset.js'
import { PolicyServerHere, VALID } from '../../../../test/helpers/policy-server.js'
import { publish } from '../../../../test/helpers/publish.js'
import { askJson } from '../../../../test/helpers/requests.js'
import { StorageServer } from '../../../../test/helpers/storage-server.js'
import { button, clientOf, dev, findings, observed, page, useDevPage, visit, visitAs } from './dev-page.js'

const KEY = 'key of the policy server'
const BUYER = 3

let storage: StorageServer
let server: PolicyServerHere

useDevPage(async () => {
  storage = await StorageServer.start()
  server = new PolicyServerHere(storage, KEY)
  return { POLICY_SERVER_URL: server.url, POLICY_SERVER_API_KEY: KEY }
})

/** Publishes an asset whose publisher asks for credentials. Returns its DID. */
async function published(): Promise<string> {
  const { rpcUrl, accounts } = dev.facts
  const node = new ethers.providers.StaticJsonRpcProvider(rpcUrl)
  node.pollingInterval = 20
  const { did } = await publish({
    network: dev.facts,
    publisher: new ethers.Wallet(accounts[0]?.privateKey as string, node),
    files: [{ type: 'url', url: storage.file('/tides.csv', Buffer.from('a,b\n1,2\n')), method: 'GET' }],
    pricing: { fixed: '2' },
    adjust: (ddo) => void Object.assign(ddo, { credentials: { allow: [SSI] } }),
  })
  await eventually(() =>
    clientOf(0)
      .asset(did)
      .then(Boolean, () => false),
  )
  return did
}

/** What a wallet of credentials does with the link that the page shows. */
async function walletPresents(vp_token = VALID): Promise<void> {
  const link = page.getByRole('link', { name: 'Open on this device' })
  const request = (await link.getAttribute('href')) as string
  expect(request).toMatch(/^openid4vp:/)
  await askJson(`${dev.facts.providerUrl}/api/services/PolicyServerPassthrough`, {
    policyServerPassthrough: {
      action: 'presentationRequest',
      sessionId: new URL(request).searchParams.get('state'),
      vp_token,
    },
  })
}

/** What the page did wrong. The policy server answers 400 about a session until something was presented in it. */
const trouble = () => {
  const failed = observed.trouble.failed.filter((one) => !/^400 .*PolicyServerPassthrough$/.test(one))
  return { ...observed.trouble, failed }
}
const sessions = () => page.evaluate(() => localStorage.getItem('tidegate.credentials'))

it('presents credentials before the purchase, once for all visits, and again after a refusal', async () => {
  const did = await published()
  await visit(`asset/${did}`)
  await page.getByText('Its publisher asks for credentials').waitFor()
  await visitAs(BUYER, `asset/${did}`)
  const start = button('Present credentials')
  await start.waitFor()
  expect(await button(/^Buy/).count()).toBe(0)
  await start.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Present credentials' })
  await dialog.getByRole('img', { name: /^QR code/ }).waitFor()
  await dialog.getByText('Waiting for your wallet…').waitFor()
  expect(await findings()).toEqual([])
  await walletPresents('eyJ.other')
  await dialog.getByRole('alert').getByText('The credentials were not accepted').waitFor()
  expect(await findings()).toEqual([])
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await dialog.getByRole('img', { name: /^QR code/ }).waitFor()
  await walletPresents()
  await dialog.waitFor({ state: 'detached' })
  // the next step has the focus, and the page no other
  expect(await page.evaluate(() => document.activeElement?.closest('.order') !== null)).toBe(true)
  await page.reload()
  await button(/^Buy/).click()
  await page.getByText('You already have this').first().waitFor()
  const [download] = await Promise.all([page.waitForEvent('download'), button(/^Download/).click()])
  expect(download.suggestedFilename()).toBe('tides.csv')
  expect(server.of('initiate')).toHaveLength(2)
  expect(trouble()).toEqual(NO_TROUBLE)

  // another browser of the same buyer: no request is refused
  await page.evaluate(() => localStorage.removeItem('tidegate.credentials'))
  await page.reload()
  await page.getByText('Then you can download what you have bought.').waitFor()
  expect(trouble()).toEqual(NO_TROUBLE)

  const kept = JSON.stringify([[dev.facts.accounts[BUYER]?.address as string, did, 'tide-access', 'gone']])
  await page.evaluate((value) => localStorage.setItem('tidegate.credentials', value), kept)
  await page.reload()
  await page.getByText('Then you can download what you have bought.').waitFor()
  expect(await sessions()).toBe('[]')
})
