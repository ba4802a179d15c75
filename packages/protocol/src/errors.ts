import { ERROR_CATALOGUE, type ErrorCode, type ErrorKind } from './error-catalogue.js'

/**
 * Base of every intended error. Callers and logs may see the message, so it never contains a file location, a descriptor
 * header, a key or a token. Causes with such content are not attached.
 */
export class ProviderError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message)
    this.name = new.target.name
  }

  get kind(): ErrorKind {
    return ERROR_CATALOGUE[this.code].kind
  }
}

/** Invalid parameters of a request: reasons by field name. */
export class ValidationError extends ProviderError {
  constructor(readonly fields: Record<string, string[]>) {
    super('VALIDATION', 'Validation error')
  }

  /** Creates the usual error: one field, one reason. */
  static of(field: string, reason: string): ValidationError {
    return new ValidationError({ [field]: [reason] })
  }
}

export class RequestError extends ProviderError {}
export class TokenError extends ProviderError {}
export class LinkError extends ProviderError {}
export class AssetError extends ProviderError {}
export class AccessError extends ProviderError {}
export class OrderError extends ProviderError {}
export class PurchaseError extends ProviderError {}

/** Reasons of an unavailable file. They reveal nothing about its location. */
export const FILE_PROBLEMS = [
  'not_found',
  'denied',
  'unreachable',
  'timeout',
  'not_allowed',
  'unsupported',
  'failed',
] as const
export type FileProblem = (typeof FILE_PROBLEMS)[number]

/** `reason` and the storage's HTTP status (`upstreamStatus`) are for the operator's log, not for consumers. */
export class StorageError extends ProviderError {
  constructor(
    code: ErrorCode,
    message: string,
    readonly reason: FileProblem = code === 'STORAGE_TIMEOUT' ? 'timeout' : 'failed',
    readonly upstreamStatus?: number,
  ) {
    super(code, message)
  }
}

export class ChainError extends ProviderError {}
export class StateError extends ProviderError {}

/** The index does not know the DID and is stale: the asset may exist. */
export class StaleIndexError extends ChainError {
  /** `reached`: whether every chain has been reached since the start. */
  constructor(reached = true) {
    super(
      reached ? 'CHAIN_UNAVAILABLE' : 'CHAIN_NOT_READY',
      'The index does not know this DID, and is not up to date. Try again later.',
    )
  }
}

/** The database is healthy but rejects this data. A retry cannot succeed. */
export class UnstorableError extends StateError {
  constructor() {
    super('STATE_UNAVAILABLE', 'The database rejects this data.')
  }
}

/** A refusal by a limit. `seconds`: when a retry may succeed. */
export class LimitError extends ProviderError {
  constructor(
    code: ErrorCode,
    message: string,
    readonly seconds: number,
  ) {
    super(code, message)
  }
}

export class SandboxError extends ProviderError {}
export class SearchError extends ProviderError {}
export class HostingError extends ProviderError {}

/** The service or command cannot start. `problems` has a line for each reason. */
export class StartError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('\n'))
    this.name = 'StartError'
  }
}

/** A database, node, list or port cannot be used now. The settings may be right: a later start may succeed. */
export class UnavailableError extends StartError {}
