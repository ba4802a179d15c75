import { createStore } from '../store.js'

/** Whether the wallet dialog is open. Any button of the page may open it. */
export const choosingWallet = createStore(false)
