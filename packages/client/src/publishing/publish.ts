import { didOf } from '@tidegate/protocol/asset'
import type { Hex, WalletClient } from 'viem'
import { addressOf } from '../auth/signing.js'
import { type Contracts, contractsOf } from '../chain/contracts.js'
import { failureOf } from '../chain/failures.js'
import { ask } from '../chain/reads.js'
import { receiptOf } from '../chain/receipts.js'
import { Sender } from '../chain/sender.js'
import { byAddress } from '../chain/tokens.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { assertLists } from '../lists/access-list.js'
import type { AssetFile, Published, PublishRequest } from '../types.js'
import { type Created, create, createdIn } from './create.js'
import { draft, SERVICE } from './draft.js'
import { encryptedFiles, putMetadata, validated } from './metadata.js'
import { assertFiles, assertRequest, bad, rateOf } from './publish-request.js'

/**
 * Publishes files as an asset in two transactions: one creates data NFT, datatoken and price, the other sets the encrypted
 * metadata. Before the first, the provider checks every file and the document, so that a mistake costs nothing.
 * If the second fails, call it again with the same request and the error's first transaction as `resume`. Throws
 * TidegateError `BAD_REQUEST`, `BAD_NAME`, `TOO_MANY_FILES`, `FILE_UNAVAILABLE`, `VALIDATION`, `NO_WALLET`, `WRONG_NETWORK`, `REJECTED`, …
 *
 * @example
 * const { did } = await tidegate.publish({
 *   files: [{ type: 'url', url: 'https://example.com/tides.csv', method: 'GET' }],
 *   name: 'Tide tables',
 *   price: { amount: '5' },
 *   timeout: 30 * 86_400,
 * })
 */
export async function publish(context: Context, request: PublishRequest): Promise<Published> {
  // a program without types may lack them
  for (const field of ['files', 'name', 'price'] as const)
    if (request[field] === undefined) throw bad(field, 'is required')
  assertRequest(request)
  await addressOf(context)
  const chainId = request.chainId ?? (await ask((context.wallet as WalletClient).getChainId()))
  const { onStep } = request
  const sender = await Sender.of(context, chainId, { onStep })
  const contracts = await contractsOf(context, chainId, sender.moment)
  const rate = await rateOf(sender.moment, contracts, await byAddress(context, chainId, request.price))
  await assertLists(sender.moment, request.accessLists ?? [], sender.address)
  onStep?.('Check the files')
  const described = await assertFiles(context, request.files)
  await assertDescribable(context, sender, { request, chainId, described })
  const created = request.resume
    ? await resumed(sender, contracts, request.resume)
    : await create(sender, contracts, { name: request.name, rate })
  const { nft, datatoken } = created
  try {
    const document = await documentOf(context, sender, { request, chainId, created, described })
    await putMetadata(context, sender, { nft, chainId, state: request.unlisted ? 'unlisted' : 'active', document })
  } catch (error) {
    throw failureOf(error, { what: 'to publish the metadata', transactions: sender.sent })
  }
  const transactions = [...(request.resume ? [request.resume] : []), ...sender.sent]
  return { did: didOf(nft, chainId), nft, datatoken, services: [{ id: SERVICE, datatoken }], transactions }
}

interface Draft {
  request: PublishRequest
  /** The provider's descriptions of its files. */
  described: readonly AssetFile[]
  chainId: number
  created: Created
}

async function documentOf(context: Context, sender: Sender, drafted: Draft): Promise<object> {
  const { request, chainId, created, described } = drafted
  const files = await encryptedFiles(context, chainId, created, request.files)
  return draft(request, { ...created, chainId, url: context.url, owner: sender.address, files, described })
}

/** Throws TidegateError `VALIDATION` for a document that the provider refuses, before anything is paid. */
async function assertDescribable(context: Context, sender: Sender, drafted: Omit<Draft, 'created'>): Promise<void> {
  // placeholders for the addresses of the new contracts
  const created = { nft: sender.address, datatoken: sender.address }
  await validated(context, JSON.stringify(await documentOf(context, sender, { ...drafted, created })))
}

/** Returns the contracts of an earlier attempt. */
async function resumed({ moment, address }: Sender, contracts: Contracts, hash: Hex): Promise<Created> {
  const receipt = await receiptOf(moment, hash)
  if (receipt?.status === 'success') return createdIn(receipt, contracts)
  throw new TidegateError('NOT_CREATED', `This chain has no successful transaction ${hash} of ${address}.`)
}
