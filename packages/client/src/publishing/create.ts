import { ONE_DATATOKEN } from '@tidegate/protocol/constants'
import { printable } from '@tidegate/protocol/values'
import { type Address, decodeEventLog, isAddressEqual, parseEther, type TransactionReceipt, zeroAddress } from 'viem'
import { EVENTS, PUBLISHING } from '../chain/abi.js'
import type { Contracts } from '../chain/contracts.js'
import type { Moment } from '../chain/moment.js'
import { mustView, view } from '../chain/reads.js'
import type { Sender } from '../chain/sender.js'
import { TidegateError } from '../errors.js'
import type { Rate } from './publish-request.js'

/** The contracts of an asset. */
export interface Created {
  nft: Address
  datatoken: Address
}

/** Most datatokens of an asset; dispenser and exchange mint them on demand. */
const CAP = /* @__PURE__ */ parseEther('1000000000000')
/** Most characters of a name on the chain; the metadata hold the whole name. */
const NAME = 60
/** Most templates of datatokens that are examined. */
const TEMPLATES = 20

/** Creates data NFT, datatoken of template 2 and its price in one transaction of the factory. */
export async function create(
  sender: Sender,
  contracts: Contracts,
  { name, rate }: { name: string; rate: Rate },
): Promise<Created> {
  const { moment, address: owner } = sender
  const title = printable(name, NAME)
  const nft = { name: title, symbol: 'DATA', templateIndex: 1n, tokenURI: '', transferable: true, owner }
  const datatoken = {
    templateIndex: await enterpriseTemplate(moment, contracts),
    strings: [`Access to ${title}`, 'DATA-1'],
    addresses: [owner, owner, zeroAddress, zeroAddress],
    uints: [CAP, 0n],
    bytess: [],
  }
  const [functionName, price] =
    rate === 'free'
      ? ['createNftWithErc20WithDispenser', dispenser(contracts)]
      : ['createNftWithErc20WithFixedRate', fixedRate(contracts, rate, owner)]
  const receipt = await sender.send({
    to: contracts.factory,
    abi: PUBLISHING,
    functionName: functionName as string,
    args: [nft, datatoken, price],
    what: 'to create data NFT, datatoken and price',
  })
  return createdIn(receipt, contracts)
}

/** A dispenser that gives one datatoken at a time, to accounts that hold none. */
export function dispenser({ dispensers }: Contracts) {
  const dispenserAddress = dispensers.at(-1)
  if (!dispenserAddress) throw new TidegateError('NO_CONTRACTS', 'This chain has no dispenser.')
  return {
    dispenserAddress,
    maxTokens: ONE_DATATOKEN,
    maxBalance: ONE_DATATOKEN,
    withMint: true,
    allowedSwapper: zeroAddress,
  }
}

/** An exchange that mints one datatoken for each order. */
export function fixedRate({ exchanges }: Contracts, { token, decimals, rate }: Exclude<Rate, 'free'>, owner: Address) {
  const fixedPriceAddress = exchanges.at(-1)
  if (!fixedPriceAddress) throw new TidegateError('NO_CONTRACTS', 'This chain has no fixed rate exchange.')
  return {
    fixedPriceAddress,
    addresses: [token, owner, owner, zeroAddress],
    uints: [BigInt(decimals), 18n, rate, 0n, 1n],
  }
}

/** Returns the index of the template that buys and orders in one transaction. */
async function enterpriseTemplate(moment: Moment, { factory }: Contracts): Promise<bigint> {
  const count = await mustView(moment, factory, 'getCurrentTemplateCount', [])
  for (let index = 1n; index <= count && index <= TEMPLATES; index++) {
    const template = await view(moment, factory, 'getTokenTemplate', [index])
    if (template?.isActive && (await view(moment, template.templateAddress, 'getId', [])) === 2) return index
  }
  throw new TidegateError('NO_CONTRACTS', 'The factory of this chain has no datatoken of template 2.')
}

/**
 * Returns the contracts that a transaction of the factory created. Throws TidegateError `NOT_CREATED` if there is no asset
 * among them.
 */
export function createdIn({ logs, transactionHash }: TransactionReceipt, { factory }: Contracts): Created {
  const made: Partial<Created> = {}
  for (const { address, topics, data } of logs) {
    try {
      const { eventName, args } = decodeEventLog({ abi: EVENTS, topics, data })
      if (eventName === 'NFTCreated' && isAddressEqual(address, factory)) made.nft = args.newTokenAddress
      if (eventName === 'TokenCreated') made.datatoken = args.newTokenAddress
    } catch {
      // another kind of event
    }
  }
  const { nft, datatoken } = made
  if (nft && datatoken) return { nft, datatoken }
  throw new TidegateError('NOT_CREATED', `The transaction ${transactionHash} created no data NFT with a datatoken.`)
}
