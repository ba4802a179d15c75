import { createStore } from '../store.js'

/** Announcements for assistive technology: results, progress, settled transactions. */
export const announcement = createStore({ text: '', count: 0 })

export function announce(text: string): void {
  announcement.set(({ count }) => ({ text, count: count + 1 }))
}
