import type { StorageError } from '@tidegate/protocol'

/**
 * Why a gateway's CAR ended early: `unable` where the gateway does not make CARs, `absent` where it does not have the
 * file or cannot be reached, `broken` where what it sent is cut off, malformed, wrong, or not what was asked for.
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
