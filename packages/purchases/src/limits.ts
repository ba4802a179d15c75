/** The limits of this package, each with its unit and reason. */
export const PURCHASE_LIMITS = {
  underWay: {
    /** Open purchases of a chain. Each costs a look at the chain every few seconds. */
    most: 100,
    /** Of one payer. Each may cost the account gas for nothing. */
    perPayer: 3,
    /** Purchases of one payer, and orders of one asset, that fail in a day: each costs the account gas for nothing. */
    failed: 10,
    /**
     * Payments of contracts on a chain that fail in a day. A contract may say yes until its transaction is mined, which then costs the account
     * `gas.transfer`, and a new contract costs its owner less.
     */
    contracts: 20,
    /** New purchases of a chain in a day, whose amounts are summed for the daily limit. */
    perDay: 10_000,
  },
  payment: {
    /** Seconds for which an authorization must still be valid when it arrives: it is mined within. */
    left: 30,
    /** Seconds ahead until which an authorization may be valid at most: its purchase is watched so long. */
    ahead: 3_600,
    /** Bytes of a signature: those of contract wallets vary. */
    signature: 4_096,
    /** Characters of the header of a payment. */
    header: 16_384,
  },
  /** Gas of transactions that cannot be estimated, as they depend on one before; of a transfer at most. */
  gas: { approve: 120_000, buy: 600_000, order: 1_200_000, transfer: 600_000, fill: 50_000 },
  /** Factor, in per cent, by which estimated gas is raised: the state changes until it is mined. */
  gasMargin: 150,
  /** Factor, in per cent, by which a transaction offers more for gas than nodes suggest: prices rise until it is mined. */
  priceMargin: 125,
  /** Bytes of what a token answers to a transfer. */
  result: 1_024,
  cashier: {
    /** Milliseconds between two looks at the chain while purchases are open. */
    interval: 1_000,
    /** Milliseconds after which a transaction that is not mined is sent again. */
    resend: 15_000,
    /** Milliseconds after which a transaction that is not mined is replaced by a dearer one. */
    replace: 60_000,
    /** Milliseconds from the payment until an order that cannot be made now is given up. */
    patience: 300_000,
    /** Milliseconds between attempts of a step that must wait: first and longest. */
    retry: { first: 2_000, longest: 900_000 },
    /** Milliseconds between attempts of a refund that its token refuses, at most: each that moves nothing costs gas. */
    refund: 86_400_000,
    /** Milliseconds for which a request waits for its purchase. */
    wait: 60_000,
  },
  /** Seconds until a payer may ask again: if too many purchases are under way, or failed in a day. */
  askAgain: { underWay: 10, failed: 3_600 },
  offers: {
    /** Offers of datatokens that are remembered. */
    most: 1_000,
    /** Milliseconds for which they are: each takes dozens of calls to nodes, and anybody may ask. */
    age: 5_000,
  },
  /** Blocks that are searched for what used an authorization, and at once. */
  searched: { most: 20_000, atOnce: 1_000 },
  /** Exchanges of a datatoken that are looked at. */
  exchanges: 10,
}
