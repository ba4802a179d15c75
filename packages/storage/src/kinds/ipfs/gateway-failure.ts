import { type FileProblem, StorageError } from '@tidegate/protocol'

/**
 * `unable`: the gateway does not make CARs; `absent`: it lacks the file or is unreachable; `broken`: the CAR is cut off, malformed
 * or wrong.
 */
export type GatewayProblem = 'unable' | 'absent' | 'broken'

/** A gateway failed, but another source may deliver the file. Internal to this folder. */
export class GatewayFailure extends Error {
  constructor(
    readonly problem: GatewayProblem,
    /** The consumer's error if all other sources fail. */
    readonly error: StorageError,
  ) {
    super(error.message)
  }
}

/** Returns the consumer's error. `predicate` continues "The file". */
export function refused(predicate: string, reason?: FileProblem): StorageError {
  return new StorageError('STORAGE_REFUSED', `The file ${predicate}.`, reason)
}

export function gatewayFailure(problem: GatewayProblem, predicate: string, reason?: FileProblem): GatewayFailure {
  return new GatewayFailure(problem, refused(predicate, reason))
}
