import type { Page } from 'playwright-core'
import { chooseBuiltIn, openOwn, openWallet, publishUpTo } from './steps.js'

/** The published sample data. */
export interface Samples {
  /** The DID of a sample asset by its key in `packages/dev-network/src/seed/samples/`. */
  didOf(key: string): string
}

/** A page to take pictures of. */
export interface Shot {
  /** Part of the file name. */
  name: string
  /** Path below /console/. */
  path: (samples: Samples) => string
  /** Account of the local network whose wallet an earlier visit has connected. */
  account?: number
  /** Steps before the picture. */
  prepare?: (page: Page, samples: Samples) => Promise<void>
  /** Steps from the previous picture, instead of `prepare`. */
  goOn?: (page: Page) => Promise<void>
}

const asset =
  (key: string): Shot['path'] =>
  ({ didOf }) =>
    `asset/${encodeURIComponent(didOf(key))}`

async function showBought(page: Page): Promise<void> {
  await page.getByText('You already have this').waitFor()
  await page.getByText('More ways to download').click()
}

async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

async function showSales(page: Page): Promise<void> {
  await page.locator('.sale-row').first().waitFor()
}

async function showReceipt(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Receipt' }).first().click()
  await page.locator('.receipt').waitFor()
}

/** Every page of the console, in its states. Account 1 has published, account 4 has bought. */
export const SHOTS: readonly Shot[] = [
  { name: 'catalogue', path: () => '' },
  { name: 'catalogue-search', path: () => '?q=tide' },
  { name: 'catalogue-nothing', path: () => '?q=nothinghasthisword' },
  { name: 'asset-paid', path: asset('tide tables') },
  { name: 'asset-free', path: asset('map of the harbour') },
  { name: 'asset-retired', path: asset('old tide tables') },
  { name: 'asset-unknown', path: () => `asset/did:op:${'0'.repeat(64)}` },
  {
    name: 'asset-buy',
    path: asset('tide tables'),
    account: 6,
    prepare: (page) => page.getByRole('button', { name: /^Buy for / }).waitFor(),
  },
  {
    name: 'asset-bought',
    path: asset('tide tables'),
    account: 4,
    prepare: showBought,
  },
  { name: 'publish', path: () => 'publish' },
  { name: 'publish-files', path: () => 'publish', account: 5, prepare: (page) => publishUpTo(page, 0) },
  {
    name: 'publish-description',
    path: () => 'publish',
    account: 5,
    prepare: (page) => publishUpTo(page, 1),
    goOn: (page) => publishUpTo(page, 1, 1),
  },
  {
    name: 'publish-price',
    path: () => 'publish',
    account: 5,
    prepare: (page) => publishUpTo(page, 2),
    goOn: (page) => publishUpTo(page, 2, 2),
  },
  {
    name: 'publish-review',
    path: () => 'publish',
    account: 5,
    prepare: (page) => publishUpTo(page, 3),
    goOn: (page) => publishUpTo(page, 3, 3),
  },
  { name: 'mine-without-wallet', path: () => 'mine/assets' },
  {
    name: 'mine-assets',
    path: () => 'mine/assets',
    account: 1,
    prepare: async (page) => {
      await page.locator('.asset-row').first().waitFor()
      await page
        .getByRole('img', { name: /^Income over time/ })
        .first()
        .waitFor()
    },
  },
  {
    name: 'mine-edit',
    path: () => 'mine/assets',
    account: 1,
    prepare: (page) => openOwn(page, 'Edit'),
    goOn: (page) => openOwn(page, 'Edit'),
  },
  {
    name: 'mine-revoke',
    path: () => 'mine/assets',
    account: 1,
    prepare: (page) => openOwn(page, 'Revoke'),
    goOn: async (page) => {
      await closeDialog(page)
      await openOwn(page, 'Revoke')
    },
  },
  {
    name: 'mine-orders',
    path: () => 'mine/orders',
    account: 4,
    prepare: (page) => page.getByRole('button', { name: 'Download' }).first().waitFor(),
  },
  { name: 'mine-sales', path: () => 'mine/sales', account: 1, prepare: showSales },
  {
    name: 'receipt',
    path: () => 'mine/sales',
    account: 1,
    prepare: async (page) => {
      await showSales(page)
      await showReceipt(page)
    },
    goOn: showReceipt,
  },
  {
    name: 'mine-lists',
    path: () => 'mine/lists',
    account: 1,
    prepare: (page) => page.getByLabel('Name of the list').waitFor(),
  },
  {
    name: 'wallet-choose',
    path: () => 'status',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Connect wallet' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'wallet-menu',
    path: () => 'status',
    account: 1,
    prepare: openWallet,
    goOn: async (page) => {
      await chooseBuiltIn(page, 1)
      await openWallet(page)
    },
  },
  { name: 'status', path: () => 'status' },
  { name: 'unknown', path: () => 'nowhere/at/all' },
]
