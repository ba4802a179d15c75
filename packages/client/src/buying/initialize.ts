import { type Address, type Hex, isHex } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { ProviderFee } from '../types.js'
import { addressIn, fieldsOf, type Json } from '../values.js'

export interface FeeRequest {
  did: string
  service: string
  consumer: Address
  /** The file that the order is for, which must be available; all files of the service if undefined. */
  file?: number | undefined
  /** JSON of the values that the service asks its consumers for. */
  userdata?: string | undefined
  /** Compute environment, of a service of type compute. */
  environment?: string | undefined
  /** Seconds since 1970. */
  validUntil?: number | undefined
  /** An order that may still hold. */
  order?: Hex | undefined
}

/** What the provider answers: an order that still holds, or its signed fee for a new one. */
export type Initialized = { validOrder: Hex } | { datatoken: Address; providerFee: ProviderFee }

/**
 * Asks the provider what it takes for an order, or whether an earlier one holds. Throws TidegateError with the provider's
 * reason: of state, credentials, a file that is not available.
 */
export async function initialize(context: Context, request: FeeRequest): Promise<Initialized> {
  const { did, service, consumer, file, userdata, environment, validUntil, order } = request
  const answer = await context.api.get<Json>('/api/services/initialize', {
    documentId: did,
    serviceId: service,
    consumerAddress: consumer,
    fileIndex: file,
    userdata,
    environment,
    validUntil,
    transferTxId: order,
  })
  const { validOrder, datatoken: told, providerFee } = fieldsOf(answer)
  if (order !== undefined && validOrder !== undefined) return { validOrder: order }
  const datatoken = addressIn(told)
  if (!datatoken || !isFee(providerFee))
    throw new TidegateError('BAD_ANSWER', "The provider's answer holds no fee that could be paid.")
  return { datatoken, providerFee }
}

/** Whether a value is a fee that the contracts understand. Whether its signature holds, the contract checks. */
function isFee(value: unknown): value is ProviderFee {
  const { providerFeeAddress, providerFeeToken, providerFeeAmount, providerData, v, r, s, validUntil } = fieldsOf(value)
  return (
    addressIn(providerFeeAddress) !== undefined &&
    addressIn(providerFeeToken) !== undefined &&
    /^[0-9]{1,78}$/.test(String(providerFeeAmount)) &&
    isHex(providerData) &&
    isWord(r) &&
    isWord(s) &&
    (v === 27 || v === 28) &&
    Number.isSafeInteger(validUntil) &&
    (validUntil as number) >= 0
  )
}

function isWord(value: unknown): boolean {
  return isHex(value) && value.length === 66
}
