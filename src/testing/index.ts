// `tidegate/testing`: the test suites for third-party storages and state stores, for vitest.
export { StateError, StorageError, UnstorableError, ValidationError } from '../errors.js'
export type { Parsed, Schema } from '../schema.js'
export type * from '../state/store.js'
export type * from '../storage/storage.js'
export { openReferenceStore } from './reference.js'
export { type StoreUnderTest, stateStoreSuite } from './state-store.js'
export { type StorageUnderTest, storageSuite } from './storage.js'
