import { type Address, formatUnits, type Hex, zeroAddress } from 'viem'
import { VIEWS } from '../../chain/abi.js'
import { type Chain, onChain } from '../../chain/chains.js'
import type { IndexedFacts, Price } from '../../state/store.js'

/** The token id that every data NFT contract mints its one token under. */
const NFT_TOKEN_ID = 1n

/** Reads owner, token URI and price of an NFT and its datatokens from the chain. Throws ChainError. */
export function readFacts(chain: Chain, nft: Address, datatokens: Address[]): Promise<IndexedFacts> {
  return onChain(async () => {
    const [owner, tokenUri, ...prices] = await Promise.all([
      read<Address>(chain, nft, 'ownerOf', [NFT_TOKEN_ID]),
      read<string>(chain, nft, 'tokenURI', [NFT_TOKEN_ID]),
      ...datatokens.map((datatoken) => priceOf(chain, datatoken)),
    ])
    return { nft, owner: owner ?? zeroAddress, tokenUri: tokenUri ?? '', price: prices.find((price) => price) ?? null }
  })
}

/** The price of one datatoken: of its first active fixed rate, else 0 when a dispenser gives it away. */
async function priceOf(chain: Chain, datatoken: Address): Promise<Price | undefined> {
  const [rates, dispensers] = await Promise.all([
    read<{ contractAddress: Address; id: Hex }[]>(chain, datatoken, 'getFixedRates', []),
    read<Address[]>(chain, datatoken, 'getDispensers', []),
  ])
  for (const rate of rates ?? []) {
    const exchange = await read<readonly unknown[]>(chain, rate.contractAddress, 'getExchange', [rate.id])
    if (!exchange?.[6]) continue
    const tokenAddress = exchange[3] as Address
    const tokenSymbol = await read<string>(chain, tokenAddress, 'symbol', [])
    // the exchange keeps its rate in 18 decimals, whatever the base token has
    return { value: formatUnits(exchange[5] as bigint, 18), tokenAddress, tokenSymbol }
  }
  for (const dispenser of dispensers ?? []) {
    const status = await read<readonly unknown[]>(chain, dispenser, 'status', [datatoken])
    if (status?.[0]) return { value: '0' }
  }
  return undefined
}

/** A view call; undefined where the contract has no such function or reverts, so that odd contracts block nothing. */
async function read<T>(chain: Chain, address: Address, functionName: string, args: unknown[]): Promise<T | undefined> {
  try {
    return (await chain.client.readContract({ address, abi: VIEWS, functionName, args } as never)) as T
  } catch (error) {
    if (isContractAnswer(error)) return undefined
    throw error
  }
}

/** Whether the node did answer, and it is the contract that has nothing to say. */
function isContractAnswer(error: unknown): boolean {
  const names = new Set(['ContractFunctionRevertedError', 'ContractFunctionZeroDataError', 'AbiDecodingZeroDataError'])
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (names.has(cause.name)) return true
  return false
}
