import { Button } from '../../parts/button.js'
import { Page } from '../../parts/page.js'
import { Empty } from '../../parts/states.js'
import { choosingWallet } from '../../state/page/overlays.js'
import { type MineTab, pathOf } from '../../state/page/route.js'
import { useStore } from '../../state/store.js'
import { mineText } from '../../text/mine.js'
import { text } from '../../text.js'
import { walletState } from '../../wallet/wallet.js'
import { MyAssets } from './assets.js'
import { MyLists } from './lists.js'
import { MyOrders } from './orders.js'
import { MySales } from './sales.js'

const TABS = ['assets', 'sales', 'orders', 'lists'] as const

/** The account's published assets, its sales, its orders and its access lists. */
export function Mine({ tab }: { tab: MineTab }) {
  const wallet = useStore(walletState)
  const words = mineText
  return (
    <Page title={words.title}>
      <nav class="tabs" aria-label={words.tabs}>
        {TABS.map((one) => (
          <a key={one} href={pathOf({ page: 'mine', tab: one })} aria-current={one === tab ? 'page' : undefined}>
            {words[one]}
          </a>
        ))}
      </nav>
      {wallet.status !== 'connected' ? (
        <Empty picture="gate" title={words.connect} hint={words.connectHint}>
          <Button kind="primary" icon="wallet" onClick={() => choosingWallet.set(true)}>
            {text.wallet.connect}
          </Button>
        </Empty>
      ) : tab === 'assets' ? (
        <MyAssets key={wallet.address} owner={wallet.address} />
      ) : tab === 'sales' ? (
        <MySales key={wallet.address} owner={wallet.address} />
      ) : tab === 'lists' ? (
        <MyLists key={`${wallet.address}/${wallet.chainId}`} chainId={wallet.chainId} owner={wallet.address} />
      ) : (
        <MyOrders key={wallet.address} consumer={wallet.address} />
      )}
    </Page>
  )
}
