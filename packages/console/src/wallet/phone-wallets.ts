/** A wallet for phones that opens pages in its own browser. */
export interface PhoneWallet {
  name: string
  /** Returns the wallet's link that opens an https page. */
  link: (page: string) => string
}

/** Wallets with a documented link, which leads to the app's download page if the app is missing. */
export const PHONE_WALLETS: readonly PhoneWallet[] = [
  {
    // https://docs.metamask.io/metamask-connect/evm/guides/metamask-exclusive/use-deeplinks/
    name: 'MetaMask',
    // without scheme and encoding
    link: (page) => `https://link.metamask.io/dapp/${page.replace(/^https:\/\//, '')}`,
  },
  {
    // https://docs.cdp.coinbase.com/coinbase-wallet/developer-guidance/mobile-dapp-integration
    name: 'Coinbase Wallet',
    link: (page) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(page)}`,
  },
  {
    // https://developer.trustwallet.com/developer/develop-for-trust/deeplinking
    name: 'Trust Wallet',
    // 60: Ethereum and its kin
    link: (page) => `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(page)}`,
  },
  {
    // https://web3.okx.com/build/docs/waas/app-universal-link
    name: 'OKX Wallet',
    link: (page) => {
      const inApp = `okx://wallet/dapp/url?dappUrl=${encodeURIComponent(page)}`
      return `https://web3.okx.com/download?deeplink=${encodeURIComponent(inApp)}`
    },
  },
]
