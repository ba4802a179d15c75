import { expect, it } from 'vitest'
import { PHONE_WALLETS } from './phone-wallets.js'

const PAGE = 'https://shop.example/console/?text=low%20tide&tag=a#files'

it('keeps the whole address of the page in the link of each wallet', () => {
  const links = Object.fromEntries(PHONE_WALLETS.map(({ name, link }) => [name, new URL(link(PAGE))]))
  expect(links.MetaMask?.href).toBe('https://link.metamask.io/dapp/shop.example/console/?text=low%20tide&tag=a#files')
  expect(links['Coinbase Wallet']?.searchParams.get('cb_url')).toBe(PAGE)
  expect(links['Trust Wallet']?.searchParams.get('url')).toBe(PAGE)
  const inApp = links['OKX Wallet']?.searchParams.get('deeplink') as string
  expect(new URL(inApp).searchParams.get('dappUrl')).toBe(PAGE)
})
