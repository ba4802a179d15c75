import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { eventually } from './eventually.js'

/** Stops on the way to one after which the way is taken to be closed. */
const MOST = 80

/** What is wrong with a stop, and its words for the messages of tests. */
interface Stop {
  words: string
  faults: string[]
}

/**
 * Somebody without a mouse. Looks at each stop of the Tab key: it must be seen, no other part of the page may lie over it, and
 * it must look otherwise than before it was reached.
 */
export class Keyboard {
  /** What is wrong with the stops of the way so far. */
  readonly faults: string[] = []

  constructor(private readonly page: Page) {}

  /** Presses Tab, or Shift+Tab, until a stop is reached, once it is shown. Fails where the way does not lead there. */
  async to(target: Locator, { back = false } = {}): Promise<void> {
    await target.first().waitFor()
    const passed: string[] = []
    for (let pressed = 0; pressed < MOST; pressed++) {
      passed.push(await this.tab({ back }))
      if (await this.isAt(target)) return
    }
    throw new Error(`No way with the keyboard to ${target}, only to: ${passed.join(' | ')}`)
  }

  /** As `to`, and presses Enter there. */
  async enter(target: Locator, options: { back?: boolean } = {}): Promise<void> {
    await this.to(target, options)
    await this.page.keyboard.press('Enter')
  }

  /** Presses Tab once. Answers the words of where it leads. */
  async tab({ back = false } = {}): Promise<string> {
    await this.page.keyboard.press(back ? 'Shift+Tab' : 'Tab')
    const { words, faults } = await this.page.evaluate(looked)
    for (const fault of faults) this.faults.push(`${new URL(this.page.url()).pathname}: ${words}: ${fault}`)
    return words
  }

  /** All stops of a page as it is shown now, in their order; ends where it began. */
  async around(): Promise<string[]> {
    const stops: string[] = []
    await this.page.evaluate(() => delete (globalThis as { firstStop?: Element }).firstStop)
    for (let pressed = 0; pressed < MOST; pressed++) {
      const words = await this.tab()
      const again = await this.page.evaluate(() => {
        const seen = globalThis as { firstStop?: Element | null }
        if (document.activeElement === document.body) return false
        seen.firstStop ??= document.activeElement
        return seen.firstStop === document.activeElement
      })
      if (again && stops.length > 0) return stops
      stops.push(words)
    }
    throw new Error(`The way with the keyboard does not come back: ${stops.join(' | ')}`)
  }

  isAt(target: Locator): Promise<boolean> {
    return target.evaluateAll((all) => all.some((one) => one === document.activeElement))
  }

  /** Waits until the focus is at an element. */
  async expectAt(target: Locator): Promise<void> {
    await eventually(() => this.isAt(target)).catch(async (error) => {
      throw new Error(`The focus is at ${await this.page.evaluate(described)}, not at ${target}`, { cause: error })
    })
  }

  /** Opens a dialog by the stop where the focus is: it stays in the dialog, Escape closes it, and it goes back. */
  async looksIntoDialog(opener: Locator): Promise<void> {
    const { keyboard } = this.page
    await keyboard.press('Enter')
    const dialog = this.page.getByRole('dialog')
    await dialog.waitFor()
    const isInside = () => dialog.evaluate((one) => one.contains(document.activeElement))
    await eventually(isInside)
    const stops = await dialog.locator('a[href], button, input, select, textarea').count()
    for (const back of [false, true])
      for (let pressed = 0; pressed < stops + 2; pressed++) {
        const words = await this.tab({ back })
        // between the last stop and the first one a browser has its own
        if (words !== 'body') expect([words, await isInside()]).toEqual([words, true])
      }
    await keyboard.press('Escape')
    await this.dialogGone()
    await this.expectAt(opener)
  }

  /** Waits until a closed dialog is removed: while it is hidden, it has no role. */
  async dialogGone(): Promise<void> {
    await this.page.locator('dialog').waitFor({ state: 'detached' })
  }
}

/** Runs in the page: where the focus is. */
function described(): string {
  const at = document.activeElement as HTMLElement
  return `${at.tagName.toLowerCase()} ${(at.getAttribute('aria-label') ?? at.innerText ?? '').split('\n')[0]?.slice(0, 40)}`.trim()
}

/** Runs in the page: what is wrong with the stop where the focus is. */
async function looked(): Promise<Stop> {
  const kept = globalThis as { stopBefore?: { element: Element; ring: string; words: string }; lookedAt?: number }
  /** Looks of an element and of what stands for it: what it draws over its card, and the frames around it. */
  const ringOf = (element: Element) => {
    const looks = (of: Element, part?: string) => {
      const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(of, part)
      return `${outlineStyle === 'none' ? '' : outlineWidth + outlineColor}/${boxShadow}`
    }
    const around = [element, element.parentElement, element.parentElement?.parentElement].filter((one) => one != null)
    return [looks(element, '::after'), ...around.map((one) => looks(one))].join(' ')
  }
  const faults: string[] = []
  const { stopBefore: stop } = kept
  const element = document.activeElement as HTMLElement
  if (stop?.element.isConnected && stop.element !== element && ringOf(stop.element) === stop.ring)
    faults.push(`the stop before, ${stop.words}, looked as it does without the focus`)
  delete kept.stopBefore
  if (element === document.body) return { words: 'body', faults }
  const words =
    `${element.tagName.toLowerCase()} ${(element.getAttribute('aria-label') ?? element.innerText ?? '').split('\n')[0]?.slice(0, 40)}`.trim()
  const inTheMiddle = () => {
    const { left, top, width, height } = element.getBoundingClientRect()
    return document.elementFromPoint(left + width / 2, top + height / 2)
  }
  /** Whether parts of the page have moved since. */
  const hasMovedSince = (since: number) =>
    new Promise<boolean>((resolve) => {
      const observer = new PerformanceObserver((list) =>
        resolve(list.getEntries().some(({ startTime }) => startTime >= since)),
      )
      observer.observe({ type: 'layout-shift', buffered: true })
      setTimeout(() => resolve(false), 1000)
    })
  // those of one pixel are drawn by what is around them
  if (element.getBoundingClientRect().width > 1) {
    const isSeen = (there: Element | null) =>
      there !== null &&
      (element.contains(there) || there.contains(element) || element.closest('label')?.contains(there) === true)
    let there = inTheMiddle()
    // a page that has just moved scrolls to the focus, out from below its head, with what it paints next or the time after
    for (let frame = 0; !isSeen(there) && frame < 300; frame++) {
      await new Promise((resolve) => requestAnimationFrame(resolve))
      there = inTheMiddle()
    }
    // what came meanwhile may have moved it out, which only a look at a busy machine is slow enough to see
    if (!there && (await hasMovedSince(kept.lookedAt ?? 0))) {
      element.scrollIntoView({ block: 'nearest' })
      there = inTheMiddle()
    }
    if (!there) faults.push('it is outside of the window')
    else if (!isSeen(there)) faults.push(`${there.tagName.toLowerCase()}.${there.className} lies over it`)
  }
  // what only a program can focus, such as a heading, need not look otherwise
  if (element.tabIndex >= 0) kept.stopBefore = { element, ring: ringOf(element), words }
  kept.lookedAt = performance.now()
  return { words, faults }
}
