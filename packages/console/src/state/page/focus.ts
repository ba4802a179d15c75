/** What the Tab key stops at. */
const STOPS = [
  'a[href]',
  'button',
  'input:not([type=hidden])',
  'select',
  'textarea',
  'summary',
  '[tabindex]:not([tabindex="-1"])',
].join()
/** Beyond these another place would be no neighbour any more. */
const BORDERS = 'main, dialog, header, .tray'

/** An element, and where it is among the stops of each element around it, from the inside out. */
export interface Place {
  element: HTMLElement
  around: { within: Element; at: number }[]
}

let last: Place | undefined

const stopsIn = (within: Element): HTMLElement[] =>
  [...within.querySelectorAll<HTMLElement>(STOPS)].filter((one) => one.checkVisibility())

/** Remembers an element with its place, to go back to it, or to what is there in its stead. */
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

/** Focuses what was remembered, or what is nearest to where it was. */
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
    // the page itself, when it holds nothing else
    if (within.matches('main')) (within as HTMLElement).focus({ preventScroll: true })
  }
}

/** Whether what had the focus is gone, and nothing else has it. */
export function isLost(): boolean {
  return last !== undefined && document.activeElement === document.body && document.hasFocus()
}

/**
 * Keeps the focus where somebody is when what had it is removed or drawn anew: a button that makes room for the next one, a
 * row that is taken from a list. Without this, people who work by keyboard or screen reader are lost each time.
 */
export function keepFocus(root: Element): void {
  document.addEventListener('focusin', ({ target }) => {
    last = placeOf(target as Element)
  })
  // who points elsewhere wants to be elsewhere
  document.addEventListener('pointerdown', ({ target }) => {
    if (!last?.element.contains(target as Node)) last = undefined
  })
  const look = () => last && isLost() && returnTo(last)
  new MutationObserver(look).observe(root, { childList: true, subtree: true })
}
