import { afterEach, beforeEach } from 'vitest'
import { parseNonce } from '../../../src/auth/nonce.js'
import type { StateStore } from '../../../src/state/stores.js'

/** A database for one test, and how to open it. */
export interface StoreUnderTest {
  /** Opens the same data repeatedly: after a `close`, like a restart, and concurrently, like a second instance. */
  open(): Promise<StateStore>
  /** Removes the data. */
  destroy(): Promise<void>
}

export const ALICE = '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260'
export const BOB = '0xBE5449a6A97aD46c8558A3356267Ee5D2731ab5e'

/** The sort key of a nonce. */
export const key = (nonce: string): string => parseNonce(nonce, 10n ** 39n).sortKey

/** An empty database for each test of a suite, and the open instances on it. */
export class StoreSession {
  #database: StoreUnderTest | undefined
  #instances: StateStore[] = []

  constructor(create: () => Promise<StoreUnderTest>) {
    beforeEach(async () => {
      this.#database = await create()
      await this.open()
    })
    afterEach(async () => {
      await Promise.all(this.#instances.splice(0).map((instance) => instance.close()))
      await this.#database?.destroy()
    })
  }

  /** The first instance. */
  get store(): StateStore {
    const [store] = this.#instances
    if (!store) throw new Error('no store is open outside of a test')
    return store
  }

  /** Opens one more instance, which is closed after the test. */
  async open(): Promise<StateStore> {
    if (!this.#database) throw new Error('there is no database outside of a test')
    const instance = await this.#database.open()
    this.#instances.push(instance)
    return instance
  }

  /** Closes an instance before the test ends. */
  async close(instance: StateStore): Promise<void> {
    this.#instances = this.#instances.filter((open) => open !== instance)
    await instance.close()
  }

  /** Restarts the service: closes every instance and opens one. */
  async restart(): Promise<void> {
    await Promise.all(this.#instances.splice(0).map((instance) => instance.close()))
    await this.open()
  }
}
