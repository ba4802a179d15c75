/** Milliseconds after which modules are loaded, and between two of them, so that they do not hold the event loop in a row. */
const LATER = 30_000
const APART = 1000

/** Modules so far. Of the process, since all of them are evaluated by its one event loop. */
let count = 0

/**
 * Loads a module half a minute from now, which most starts need later or never. Whoever needs it sooner imports it as well.
 * Not at the first need alone: Node remembers for good that a module could not be loaded, for instance when there was no
 * descriptor left, so that a moment of want under load would last until the next start.
 */
export function loadLater(load: () => Promise<unknown>): void {
  setTimeout(() => void load().catch(() => undefined), LATER + APART * count++).unref()
}
