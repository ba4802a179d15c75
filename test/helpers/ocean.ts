import { createRequire } from 'node:module'
// by path, since the package declares no types for ES module imports
import type * as Library from '../../node_modules/@oceanprotocol/lib/dist/types/index.js'

/**
 * The published client library, as its users load it: through require, since its ES module build does not load in
 * Node itself.
 */
export const ocean = createRequire(import.meta.url)('@oceanprotocol/lib') as typeof Library

/** A document, as the library declares it. */
export type DDO = Library.DDO
/** Fees of a provider in an order. */
export type ProviderFees = Library.ProviderFees
/** Parameters for a dispenser. */
export type DispenserCreationParams = Library.DispenserCreationParams
/** Parameters for a fixed rate exchange. */
export type FreCreationParams = Library.FreCreationParams

ocean.LoggerInstance.setLevel(ocean.LogLevel.None)
