/** Elements that the Tab key reaches. */
const STOPS = [
  'a[href]',
  'button',
  'input:not([type=hidden])',
  'select',
  'textarea',
  'summary',
  '[tabindex]:not([tabindex="-1"])',
].join()
/** Limits of the search for a neighbour. */
const BORDERS = 'main, dialog, header, .tray'

/** An element, and its position among the focusable elements of each ancestor, innermost first. */
export interface Place {
  element: HTMLElement
  around: { within: Element; at: number }[]
}

let last: Place | undefined

const stopsIn = (within: Element): HTMLElement[] =>
  [...within.querySelectorAll<HTMLElement>(STOPS)].filter((one) => one.checkVisibility())

/** Records an element and its position, to return to it or to its replacement. */
export function placeOf(element: Element | null): Place | undefined {
  if (!(element instanceof HTMLElement) || element === document.body) return undefined
  const around: Place['around'] = []
  const border = element.parentElement?.closest(BORDERS)
  for (let within = border ? element.parentElement : null; within; within = within.parentElement) {
    around.push({ within, at: stopsIn(within).indexOf(element) })
    if (within === border) break
  }
  return { element, around }
}

/** Focuses the recorded element, or the nearest one to its position. */
export function returnTo({ element, around }: Place): void {
  if (element.isConnected) {
    element.focus()
    return
  }
  for (const { within, at } of around) {
    if (!within.isConnected) continue
    const stops = stopsIn(within)
    const stop = stops[Math.min(Math.max(0, at), stops.length - 1)]
    if (stop) {
      stop.focus()
      return
    }
    // the page itself if it has no other element
    if (within.matches('main')) (within as HTMLElement).focus({ preventScroll: true })
  }
}

/** Whether the focused element was removed and nothing else has the focus. */
export function isLost(): boolean {
  return last !== undefined && document.activeElement === document.body && document.hasFocus()
}

/**
 * Restores the focus if its element is removed or redrawn, such as a button that the next one replaces, or a row of a list.
 * Otherwise people with a keyboard or screen reader lose their place.
 */
export function keepFocus(root: Element): void {
  document.addEventListener('focusin', ({ target }) => {
    last = placeOf(target as Element)
  })
  // a pointer moves the focus on purpose
  document.addEventListener('pointerdown', ({ target }) => {
    if (!last?.element.contains(target as Node)) last = undefined
  })
  const look = () => last && isLost() && returnTo(last)
  new MutationObserver(look).observe(root, { childList: true, subtree: true })
}
