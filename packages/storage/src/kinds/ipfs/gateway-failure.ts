import type { StorageError } from '@tidegate/protocol'

/**
 * Why a gateway's CAR ended early: `unable` if the gateway does not make CARs, `absent` if it does not have the
 * file or cannot be reached, `broken` if its CAR is cut off, malformed, wrong, or another one.
 */
export type GatewayProblem = 'unable' | 'absent' | 'broken'

/** A gateway failed, and another one, or another way, may still deliver the file. Never leaves the folder. */
export class GatewayFailure extends Error {
  constructor(
    readonly problem: GatewayProblem,
    /** The error for the consumer if nothing else delivers it either. */
    readonly error: StorageError,
  ) {
    super(error.message)
  }
}
