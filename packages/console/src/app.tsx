import { Component, type ComponentChildren } from 'preact'
import { Catalogue } from './pages/catalogue/catalogue.js'
import { Announcer } from './parts/announcer.js'
import { Button, ButtonLink } from './parts/button.js'
import { Footer } from './parts/footer.js'
import { Header } from './parts/header.js'
import { lazily } from './parts/lazily.js'
import { Page } from './parts/page.js'
import { Empty } from './parts/states.js'
import { SigningDialog, WalletDialog } from './parts/wallet/wallet-dialog.js'
import { configState, loadConfig } from './state/config.js'
import { online } from './state/page/online.js'
import { pathOf, place, type Route, routeOf } from './state/page/route.js'
import { useStore } from './state/store.js'
import { text } from './text.js'

const AssetPage = lazily(() => import('./pages/asset/asset.js').then(({ AssetPage }) => AssetPage))
const SellerPage = lazily(() => import('./pages/seller/seller.js').then(({ SellerPage }) => SellerPage))
const Publish = lazily(() => import('./pages/publish/publish.js').then(({ Publish }) => Publish))
const Mine = lazily(() => import('./pages/mine/mine.js').then(({ Mine }) => Mine))
const ReceiptPage = lazily(() => import('./pages/receipt/receipt.js').then(({ ReceiptPage }) => ReceiptPage))
const Status = lazily(() => import('./pages/status/status.js').then(({ Status }) => Status))
const Transfers = lazily(() => import('./parts/transfers.js').then(({ Transfers }) => Transfers), { isPart: true })

export function App() {
  const state = useStore(configState)
  const isOnline = useStore(online)
  const { path } = useStore(place)
  if (state.state === 'loading') return <p class="off-screen">{text.start.loading}</p>
  if (state.state === 'failed')
    return (
      <main class="page">
        <Empty alone picture="broken" title={text.start.failed} hint={text.start.failedHint}>
          <Button icon="retry" onClick={() => void loadConfig()}>
            {text.retry}
          </Button>
        </Empty>
      </main>
    )
  return (
    <>
      <a class="skip" href="#content">
        {text.skip}
      </a>
      <Header />
      {state.config.local && (
        <aside class="strip dev" aria-label={text.local.badge}>
          {text.local.strip}
        </aside>
      )}
      {!isOnline && (
        <p class="strip warn" role="status">
          {text.offline}
        </p>
      )}
      <Boundary key={path}>
        <Shown route={routeOf(path)} />
      </Boundary>
      <Footer />
      <Transfers />
      <WalletDialog />
      <SigningDialog />
      <Announcer />
    </>
  )
}

function Shown({ route }: { route: Route }) {
  switch (route.page) {
    case 'catalogue':
      return <Catalogue />
    case 'asset':
      return <AssetPage key={route.did} did={route.did} />
    case 'seller':
      return <SellerPage key={route.account} account={route.account} />
    case 'publish':
      return <Publish />
    case 'mine':
      return <Mine tab={route.tab} />
    case 'receipt':
      return <ReceiptPage order={route.order} />
    case 'status':
      return <Status />
    default:
      return (
        <Page title={text.unknownPage.title} own>
          <Empty alone picture="search" title={text.unknownPage.title} hint={text.unknownPage.hint}>
            <ButtonLink href={pathOf({ page: 'catalogue' })}>{text.unknownPage.back}</ButtonLink>
          </Empty>
        </Page>
      )
  }
}

/** Limits an error to its page. */
class Boundary extends Component<{ children: ComponentChildren }, { failed: boolean }> {
  override state = { failed: false }

  static override getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <main id="content" class="page">
        <Empty alone picture="broken" title={text.crashed.title} hint={text.crashed.hint}>
          <Button icon="retry" onClick={() => location.reload()}>
            {text.crashed.reload}
          </Button>
        </Empty>
      </main>
    )
  }
}
