import { type Address, getAddress, isAddress } from 'viem'
import { createStore } from '../store.js'
import { BASE } from './base.js'

export type MineTab = 'assets' | 'sales' | 'orders' | 'lists'

/** A page with its parameters. */
export type Route =
  | { page: 'catalogue' }
  | { page: 'asset'; did: string }
  | { page: 'seller'; account: Address }
  | { page: 'publish' }
  | { page: 'mine'; tab: MineTab }
  | { page: 'receipt'; order: `0x${string}` }
  | { page: 'status' }
  | { page: 'unknown' }

/** Reads a path below the base. */
export function routeOf(path: string): Route {
  if (!path.startsWith(BASE) && `${path}/` !== BASE) return { page: 'unknown' }
  const [first = '', second, third] = path.slice(BASE.length).replace(/\/$/, '').split('/')
  if (third !== undefined) return { page: 'unknown' }
  if (first === '' && second === undefined) return { page: 'catalogue' }
  if (first === 'asset' && second) return { page: 'asset', did: decoded(second) }
  if (first === 'seller' && second && isAddress(second, { strict: false }))
    return { page: 'seller', account: getAddress(second) }
  if (first === 'mine' && (second === undefined || second === 'assets')) return { page: 'mine', tab: 'assets' }
  if (first === 'mine' && (second === 'orders' || second === 'sales' || second === 'lists'))
    return { page: 'mine', tab: second }
  if (first === 'receipt' && second && /^0x[0-9a-fA-F]{64}$/.test(second))
    return { page: 'receipt', order: second.toLowerCase() as `0x${string}` }
  if ((first === 'publish' || first === 'status') && second === undefined) return { page: first }
  return { page: 'unknown' }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Returns the path of a page, for links. */
export function pathOf(route: Exclude<Route, { page: 'unknown' }>): string {
  switch (route.page) {
    case 'catalogue':
      return BASE
    case 'asset':
      return `${BASE}asset/${encodeURIComponent(route.did).replaceAll('%3A', ':')}`
    case 'seller':
      return `${BASE}seller/${route.account}`
    case 'mine':
      return `${BASE}mine/${route.tab}`
    case 'receipt':
      return `${BASE}receipt/${route.order}`
    default:
      return BASE + route.page
  }
}

const here = () => ({ path: location.pathname, search: location.search })

/** The current address. */
export const place = createStore(
  typeof location === 'undefined' ? { path: BASE, search: '' } : { path: location.pathname, search: location.search },
)

/** Navigates to an address of the page. `replace` adds no entry to the history, for changes during typing. */
export function navigate(to: string, { replace = false }: { replace?: boolean } = {}): void {
  const { path, search } = place.get()
  if (to === path + search && to === location.pathname + location.search) return
  try {
    if (replace) history.replaceState(null, '', to)
    else history.pushState(null, '', to)
  } catch {
    // browsers limit the changes of the address, for example with a held key: the page works without them
  }
  const at = to.indexOf('?')
  place.set(at < 0 ? { path: to, search: '' } : { path: to.slice(0, at), search: to.slice(at) })
}

/** Handles links of the page without reloading it, and the browser's buttons. */
export function watchRoute(): void {
  addEventListener('popstate', () => place.set(here()))
  document.addEventListener('click', (event) => {
    const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented } = event
    if (defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return
    const link = (event.target as Element).closest?.('a[href]') as HTMLAnchorElement | null
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return
    if (!link.pathname.startsWith(BASE) || (link.hash && link.pathname === location.pathname)) return
    event.preventDefault()
    navigate(link.pathname + link.search)
  })
}
