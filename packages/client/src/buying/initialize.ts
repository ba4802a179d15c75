import { addressIn, fieldsOf, type Json } from '@tidegate/protocol/values'
import { type Address, type Hex, isHex } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { policyFor } from '../policies/sessions.js'
import type { ProviderFee } from '../types.js'

export interface FeeRequest {
  did: string
  service: string
  consumer: Address
  /** The available file to order; undefined for all files of the service. */
  file?: number | undefined
  /** JSON of the consumer parameters of the service. */
  userdata?: string | undefined
  /** Compute environment, for a service of type compute. */
  environment?: string | undefined
  /** Seconds since 1970. */
  validUntil?: number | undefined
  /** An order that may still be valid. */
  order?: Hex | undefined
}

/** The provider's response: a valid order, or the signed fee of a new one. `presents`: whether its download asks for credentials. */
export type Initialized =
  | { validOrder: Hex; presents: boolean }
  | { datatoken: Address; providerFee: ProviderFee; presents: boolean }

/**
 * Asks the provider for the fee of an order, or whether an earlier order is valid. Throws TidegateError with the provider's
 * reason: state, credentials, or an unavailable file.
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
    ...(await policyFor(context, request)),
  })
  const { validOrder, datatoken: told, providerFee, policyServer } = fieldsOf(answer)
  const presents = policyServer === 'required'
  if (order !== undefined && validOrder !== undefined) return { validOrder: order, presents }
  const datatoken = addressIn(told)
  if (!datatoken || !isFee(providerFee))
    throw new TidegateError('BAD_ANSWER', "The provider's response has no valid fee.")
  return { datatoken, providerFee, presents }
}

/** Whether a value is a fee that the contracts accept. The contract checks the signature. */
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
