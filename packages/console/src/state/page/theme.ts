import { keep } from '../kept.js'
import { createStore } from '../store.js'

export type Theme = 'system' | 'light' | 'dark'

/** The chosen colours, stored as plain text. `theme.js` has read them before any other script. */
export const theme = createStore<Theme>(chosenTheme())

function chosenTheme(): Theme {
  const chosen = document.documentElement.dataset.theme
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system'
}

export function chooseTheme(chosen: Theme): void {
  theme.set(chosen)
  if (chosen === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
  try {
    if (chosen === 'system') keep('theme', undefined)
    else localStorage.setItem('tidegate.theme', chosen)
  } catch {
    // not stored: the choice holds for this visit
  }
}
