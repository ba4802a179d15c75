import * as parse from '../parsers/index.js'
import { setting } from '../setting.js'

/** Orders that this service makes for buyers who pay by one signature. */
export const PURCHASES = {
  PURCHASES: setting({
    parse: parse.oneOf('off', 'on'),
    default: 'off' as const,
    doc: 'Whether buyers may pay by a signature (x402) while this service orders for them, with its own account. See docs/purchase.md before turning it on: the service then holds money of others.',
  }),
  PURCHASE_PRIVATE_KEY: setting({
    parse: parse.privateKey,
    secret: true,
    doc: 'The private key (32 bytes of hex) of the account that takes the payments and orders. Required with PURCHASES=on. No other program may send from it, and it must not be a provider key.',
  }),
  PURCHASE_TOKENS: setting({
    parse: parse.addressesByChain,
    doc: 'The tokens that buyers may pay with, as a JSON object from chain id to a list of addresses. Required with PURCHASES=on. Each must have EIP-3009, as USDC and EURC, and be one that you trust.',
    example: '{"8453":["0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"]}',
  }),
  PURCHASE_GAS_FEE: setting({
    parse: parse.decimal,
    default: '0',
    doc: 'What a purchase costs on top, for gas, in whole tokens.',
    example: '0.05',
  }),
  PURCHASE_DAILY_LIMIT: setting({
    parse: parse.decimal,
    default: '1000',
    doc: 'The most that the payments of 24 hours may be, for each token and chain, in whole tokens.',
  }),
  PURCHASE_MAX_GAS_PRICE: setting({
    parse: parse.integer(1, 1_000_000),
    default: 300,
    doc: 'The most that a transaction may pay for a unit of gas, in gwei. While gas is dearer, payments are not taken, and transactions wait.',
  }),
  PURCHASE_CONFIRMATIONS: setting({
    parse: parse.perChain(parse.integer(1, 10_000)),
    doc: 'Confirmations after which a block is final for purchases, its own included; one number, or JSON by chain id. A payment is ordered when it has as many. Default: 20.',
  }),
} as const
