import type { Result } from '@tidegate/database'
import type { Address, Hex } from 'viem'
import type { Obstacle, Purchase, PurchaseState, Reason } from '../purchase.js'

export type Row = Result['rows'][number]

/** Returns the values of a record as columns of its row. */
export function columnsOf(purchase: Purchase): Record<string, string | number | null> {
  const { id, payment, wanted, state, identifier = null, reason = null } = purchase
  const { settleTx = null, orderTx = null, refundTx = null, obstacle = null } = purchase
  return {
    ...{ id, chain: payment.chainId, token: payment.token, payer: payment.payer, nonce: payment.nonce },
    ...{ value: `${payment.value}`, after: payment.validAfter, before: payment.validBefore },
    ...{
      signature: payment.signature,
      did: wanted.did,
      service: wanted.service,
      file: wanted.file ?? null,
      terms: wanted.terms ?? null,
    },
    datatoken: purchase.datatoken,
    isContract: purchase.isContract ? 1 : 0,
    ...{ gasFee: `${purchase.gasFee}`, identifier, state, reason, settleTx, orderTx, refundTx },
    ...{ paid: `${purchase.paid}`, spent: `${purchase.spent}`, refunded: `${purchase.refunded}` },
    ...{
      settledAt: purchase.settledAt,
      isOpen: purchase.isOpen ? 1 : 0,
      dueAt: purchase.dueAt,
      obstacle,
      createdAt: purchase.createdAt,
    },
    ...{ changedAt: purchase.changedAt, version: purchase.version },
  }
}

const optional = <T>(value: unknown): T | undefined => (value === null ? undefined : (value as T))

/** Returns the record of a row. */
export function purchaseOf(row: Row): Purchase {
  return {
    id: row.id as Hex,
    payment: {
      chainId: row.chain_id as number,
      token: row.token as Address,
      payer: row.payer as Address,
      value: BigInt(row.value as string),
      validAfter: row.valid_after as number,
      validBefore: row.valid_before as number,
      nonce: row.nonce as Hex,
      signature: row.signature as Hex,
    },
    wanted: {
      did: row.did as string,
      service: row.service as string,
      file: optional<number>(row.file),
      terms: optional<string>(row.terms),
    },
    datatoken: row.datatoken as Address,
    isContract: row.is_contract === 1,
    gasFee: BigInt(row.gas_fee as string),
    identifier: optional<string>(row.identifier),
    state: row.state as PurchaseState,
    reason: optional<Reason>(row.reason),
    paid: BigInt(row.paid as string),
    spent: BigInt(row.spent as string),
    refunded: BigInt(row.refunded as string),
    settleTx: optional<Hex>(row.settle_tx),
    orderTx: optional<Hex>(row.order_tx),
    refundTx: optional<Hex>(row.refund_tx),
    settledAt: row.settled_at as number,
    isOpen: row.is_open === 1,
    dueAt: row.due_at as number,
    obstacle: optional<Obstacle>(row.obstacle),
    createdAt: row.created_at as number,
    changedAt: row.changed_at as number,
    version: row.version as number,
  }
}
