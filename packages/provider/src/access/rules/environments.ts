import { AccessError, ValidationError } from '@tidegate/protocol'
import type { Address } from 'viem'
import type { ComputeEnvironment } from '../../config/parsers/chains.js'

/** Type of the services that deliver their file. All other types sell compute. */
const ACCESS = 'access'

function environmentsOn(chainId: number, all: readonly ComputeEnvironment[]): ComputeEnvironment[] {
  return all.filter((environment) => (environment.chainId ?? chainId) === chainId)
}

/**
 * Returns, for a service that sells compute, the ids of the environments that download as this consumer: nobody else
 * may have the file itself. Undefined for plain access. Throws AccessError.
 */
export function environmentsFor(
  type: string,
  consumer: Address,
  chainId: number,
  environments: readonly ComputeEnvironment[],
): string[] | undefined {
  if (type === ACCESS) return undefined
  const own = environmentsOn(chainId, environments).filter(({ consumerAddress }) => consumerAddress === consumer)
  if (own.length === 0)
    throw new AccessError('NOT_AN_ACCESS_SERVICE', 'Service is not an access service: its file is not handed out.')
  return own.map(({ id }) => id)
}

/**
 * Returns the compute environment that a quote is requested for; null for plain access, which has a fee of its own. An
 * environment is priced by time, so `validUntil` is required. Throws ValidationError.
 */
export function chosenEnvironment(
  type: string,
  { environment: id, validUntil }: { environment?: string | undefined; validUntil?: number | undefined },
  chainId: number,
  environments: readonly ComputeEnvironment[],
): ComputeEnvironment | null {
  const refuse = (why: string) => ValidationError.of('environment', `The environment field ${why}`)
  // clients send the environment of their compute page here too
  if (type === ACCESS) return null
  const served = environmentsOn(chainId, environments)
  if (served.length === 0)
    throw refuse('has no possible value: the service sells computing, and this provider has no compute environment.')
  if (id === undefined) throw refuse('is required: the service sells computing in an environment, not its file.')
  const found = served.find((environment) => environment.id === id)
  if (!found) throw refuse('names no compute environment of this provider.')
  if (!validUntil) throw ValidationError.of('validUntil', 'The validUntil field is required with an environment.')
  return found
}
