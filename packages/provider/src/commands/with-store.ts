import { loadSettings } from '../config/load.js'
import { openStore } from '../state/open.js'
import type { StateStore } from '../state/stores.js'

/** Opens the database for a command that needs nothing else. Throws StartError, StateError. */
export async function withStore(
  config: string | undefined,
  work: (store: StateStore) => Promise<number>,
  readOnly = false,
): Promise<number> {
  const store = await openStore(loadSettings(process.env, config, 'database'), { readOnly })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
