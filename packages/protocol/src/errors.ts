import { ERROR_CATALOGUE, type ErrorCode, type ErrorKind } from './error-catalogue.js'

/**
 * Base of every error that the domain throws on purpose. The message may reach the caller and the logs, so it never
 * holds a file location, a descriptor header, a key or a token; a cause with such content is not attached either.
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

/** Invalid parameters of the request: one or more reasons by field name. */
export class ValidationError extends ProviderError {
  constructor(readonly fields: Record<string, string[]>) {
    super('VALIDATION', 'Validation error')
  }

  /** The common case: one field, one reason. */
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

/** Why a file is unavailable, in words that reveal nothing about its location. */
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

/**
 * `reason` and `upstreamStatus`, the storage's HTTP status, are for the operator's log, and not disclosed to consumers.
 */
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

/** The DID is not in the index, but the asset may exist, since the index of a chain is stale. */
export class StaleIndexError extends ChainError {
  /** `reached`: whether every chain was reached since the start. */
  constructor(reached = true) {
    super(
      reached ? 'CHAIN_UNAVAILABLE' : 'CHAIN_NOT_READY',
      'The index does not know this DID, and is not up to date. Try again later.',
    )
  }
}

/** The database is healthy but rejects this data: a retry cannot succeed. */
export class UnstorableError extends StateError {
  constructor() {
    super('STATE_UNAVAILABLE', 'The database rejects this data.')
  }
}
export class LimitError extends ProviderError {}
export class SandboxError extends ProviderError {}
export class SearchError extends ProviderError {}
export class HostingError extends ProviderError {}

/** The service or command cannot start as configured. `problems` holds one line for each reason. */
export class StartError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('\n'))
    this.name = 'StartError'
  }
}
