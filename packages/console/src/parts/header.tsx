import { Icon, type IconName } from '../icons/icon.js'
import { Logo } from '../icons/logo.js'
import { config } from '../state/config.js'
import { BASE } from '../state/page/base.js'
import { pathOf, place, routeOf } from '../state/page/route.js'
import { chooseTheme, type Theme, theme } from '../state/page/theme.js'
import { useStore } from '../state/store.js'
import { text } from '../text.js'
import { TransactionsButton } from './transactions.js'
import { WalletButton } from './wallet/wallet-button.js'

const PAGES = [
  { page: 'catalogue', icon: 'grid', to: pathOf({ page: 'catalogue' }) },
  { page: 'publish', icon: 'upload', to: pathOf({ page: 'publish' }) },
  { page: 'mine', icon: 'user', to: pathOf({ page: 'mine', tab: 'assets' }) },
  { page: 'status', icon: 'pulse', to: pathOf({ page: 'status' }) },
] as const satisfies { page: string; icon: IconName; to: string }[]

export function Header() {
  const { operator, logo } = config()
  const name = operator?.name ?? text.product
  return (
    <header class="top">
      <div class="top-inner">
        <a class="brand" href={pathOf({ page: 'catalogue' })} aria-label={name}>
          {logo ? <img class="logo" src={BASE + logo} alt="" /> : <Logo />}
          <span>{name}</span>
        </a>
        <Navigation />
        <div class="top-actions">
          <ThemeButton />
          <TransactionsButton />
          <WalletButton />
        </div>
      </div>
    </header>
  )
}

function Navigation() {
  const { path } = useStore(place)
  const { page: here } = routeOf(path)
  return (
    <nav class="pages" aria-label={text.nav.label}>
      {PAGES.map(({ page, icon, to }) => (
        <a key={page} href={to} aria-current={here === page ? 'page' : undefined}>
          <Icon name={icon} />
          <span>{text.nav[page]}</span>
        </a>
      ))}
    </nav>
  )
}

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }
const THEME_ICON: Record<Theme, IconName> = { system: 'screen', light: 'sun', dark: 'moon' }

function ThemeButton() {
  const chosen = useStore(theme)
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={text.theme[chosen]}
      title={text.theme[chosen]}
      onClick={() => chooseTheme(NEXT[chosen])}
    >
      <Icon name={THEME_ICON[chosen]} />
    </button>
  )
}
