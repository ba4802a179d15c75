/** Why a payment is not taken, as x402 names it. Nothing was sent: the same or another payment may be. */
export type RefusedPayment =
  | 'invalid_exact_evm_payload_authorization_value'
  | 'invalid_exact_evm_payload_authorization_valid_after'
  | 'invalid_exact_evm_payload_authorization_valid_before'
  | 'invalid_exact_evm_payload_recipient_mismatch'
  | 'invalid_exact_evm_network_mismatch'
  | 'invalid_exact_evm_payload_signature'
  | 'invalid_exact_evm_nonce_already_used'
  | 'insufficient_funds'

/** A payment that is not taken. */
export class PaymentRefused extends Error {
  constructor(readonly reason: RefusedPayment) {
    super(reason)
  }
}
