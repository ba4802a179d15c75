import { createStore } from '../store.js'

/** Whether the dialog is open in which a wallet is chosen. Any button of the page may open it. */
export const choosingWallet = createStore(false)
