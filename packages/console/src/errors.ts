import { TidegateError } from '@tidegate/client'
import { WALLET_CODES } from '@tidegate/protocol/constants'
import { text } from './text.js'
import { codeOf, isUnknownChain } from './wallet/provider.js'

/** An error for people: the event and the remedy. */
export interface Worded {
  title: string
  hint?: string
  /** For a report. */
  code?: string
}

/** Sentences by code, instead of those that the service answers for programs. */
const TITLES: Record<string, string> = {
  ASSET_NOT_FOUND: 'There is no such asset here.',
  ASSET_NOT_CONSUMABLE: 'This asset is not available.',
  CREDENTIALS_DENIED: 'This account may not buy the asset.',
  TERMS_CHANGED: 'The terms have changed.',
  TERMS_NOT_ACCEPTED: 'The terms are not accepted yet.',
  TAKEN_DOWN: 'This asset was taken down.',
  PURGATORY: 'The operator of the provider has blocked this asset or this account.',
}

/** Remedies by code, of the library and of the service. The sentence of the error is the library's. */
const HINTS: Record<string, string> = {
  UNREACHABLE: 'Check your connection, and whether the service runs. Then try again.',
  TIMEOUT: 'The service is slow or out of reach. Try again in a moment.',
  REJECTED: 'Nothing was sent. Try again when you want to.',
  SIGNATURE_REFUSED: 'The wallet has to sign, which costs nothing, so that the provider knows who asks.',
  INSUFFICIENT_TOKENS: 'Get some more of the token, or use another account. Nothing was paid.',
  INSUFFICIENT_GAS: 'The account needs some of the network’s own coin for the fee. Nothing was paid.',
  TERMS_CHANGED: 'Read the new terms, and accept them if you agree. Nothing was paid.',
  TERMS_NOT_ACCEPTED: 'Read the terms, and accept them if you agree. Nothing was paid.',
  DOCUMENT_UNREADABLE: 'Try again in a moment, or open the file yourself.',
  PRICE_CHANGED: 'Look at the new price, and decide again.',
  UNAVAILABLE: 'Its exchange is closed or sold out. Its publisher can say more.',
  WRONG_NETWORK: 'Switch the network in your wallet.',
  NO_CHAIN: 'Connect a wallet: the chain is read through it.',
  CHAIN_UNREACHABLE: 'The network’s node is out of reach. Try again in a moment.',
  CHAIN_BEHIND: 'The network’s node is behind. Try again in a minute.',
  NO_CONTRACT: 'The network may have undone a transaction. Look at your transactions, and try again.',
  CHAIN_UNAVAILABLE: 'The provider has lost the chain for a moment. Try again soon.',
  NOT_MINED: 'It may still be mined: wait for it before you pay again. It stays in the list of transactions.',
  MAYBE_SENT: 'It may be mined: wait for it before you pay again. It stays in the list of transactions.',
  ORDER_PENDING: 'It waits for confirmations. Try again in a minute; do not pay again.',
  NONCE_TOO_LOW: 'Another page or program has sent from this account. Try again.',
  PENDING_TRANSACTION: 'Wait until the other transaction is mined, or speed it up in the wallet.',
  CREDENTIALS_DENIED: 'Its publisher lets chosen addresses buy it, and this account is not one of them.',
  POLICY_DENIED: 'Present others on the page of the asset, or ask its publisher which ones open it.',
  POLICY_UNAVAILABLE: 'Credentials cannot be checked now. Try again later.',
  ASSET_NOT_CONSUMABLE: 'Its publisher has withdrawn it. Nobody can have it now.',
  ASSET_NOT_FOUND: 'The index may be a minute behind, or it is of another provider.',
  DID_NOT_RESOLVED: 'The index may be a minute behind, or it is of another provider.',
  FILE_UNAVAILABLE: 'The storage of the file does not deliver it now. Nothing was paid.',
  STORAGE_NOT_FOUND: 'The file is not where it was. Tell its publisher.',
  NO_ORDER: 'Buy it first.',
  CLOCK_WRONG: 'The provider’s clock is wrong. Do not pay now; tell its operator.',
  CANNOT_DELIVER: 'The provider cannot deliver now. Do not pay now; tell its operator.',
  QUOTE_TIME_WRONG: 'Check the clock of this machine. If it is right, tell the provider’s operator.',
  PROVIDER_KEY_MISSING: 'It is the provider’s fault. Do not pay again; tell its operator.',
  ORDER_EXPIRED: 'The order has expired. Buy it again.',
  FILE_CHANGED: 'Choose it again, and begin anew.',
  DIGEST_MISMATCH: 'It was not saved. Download it again; if it stays so, tell the publisher.',
  BROKEN_OFF: 'Try again: it begins anew.',
  RATE_LIMITED: 'You have asked a lot. Wait a moment.',
  CONSUMER_LIMITED: 'You have asked a lot. Wait a moment.',
  BUSY: 'The service is busy. Try again in a moment.',
  SEARCH_UNAVAILABLE: 'The search index is being built or very busy. Try again in a moment.',
  NOT_A_PUBLISHER:
    'This provider hosts files of selected publishers only. Name where your file is stored instead, or ask the operator.',
  UPLOAD_QUOTA: 'Your files here take all the room you have. Remove some, or ask the operator.',
  UPLOAD_TOO_LARGE: 'Name where it lies instead, or ask the operator.',
  HOSTING_FULL: 'The provider’s storage is full. Tell the operator; what was uploaded is kept.',
  NOT_PERMITTED: 'Use the account that has published it.',
  NOT_A_TOKEN: 'Do not pay for it: its price is no amount of a token.',
  FOREIGN_DATATOKEN: 'Its datatoken was not made by the known contracts. Do not pay for it.',
}

/** Describes any thrown value. */
export function worded(error: unknown): Worded {
  const wallet = ofWallet(error)
  if (wallet) return { title: wallet }
  if (error instanceof TidegateError) {
    const { code, message } = error
    const hint = HINTS[code]
    return { title: TITLES[code] ?? message, code, ...(hint ? { hint } : {}) }
  }
  return { title: text.crashed.title, hint: text.crashed.hint }
}

function ofWallet(error: unknown): string | undefined {
  if (error instanceof TidegateError) return error.code === 'REJECTED' ? text.wallet.rejected : undefined
  const code = codeOf(error)
  if (code === WALLET_CODES.rejected) return text.wallet.rejected
  if (code === WALLET_CODES.alreadyAsked) return text.wallet.alreadyAsked
  if (code === WALLET_CODES.unauthorized) return text.wallet.noAccount
  if (isUnknownChain(error)) return text.wallet.unknownChain
  return code === undefined ? undefined : text.wallet.failed
}

/** Translates a step of the library; keeps its details. */
export function stepText(step: string): string {
  const { steps } = text
  const known: Record<string, string> = {
    '': steps.prepare,
    'Check the files': steps.files,
    Order: steps.order,
    'Renew the order': steps.renew,
    'Buy the datatoken': steps.datatoken,
    'Create data NFT, datatoken and price': steps.create,
    'Publish the metadata': steps.metadata,
  }
  return known[step] ?? step
}
