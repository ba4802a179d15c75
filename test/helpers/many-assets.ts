import { createHash } from 'node:crypto'
import {
  type Address,
  bytesToHex,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  parseEventLogs,
  zeroAddress,
} from 'viem'
import { EVENTS } from '../../packages/chain/src/abi.js'
import { DEV_CHAIN_ID, devAccounts } from '../../packages/dev-network/src/anvil.js'
import { ARTIFACTS, artifact } from '../../packages/dev-network/src/contracts.js'
import { encrypt } from '../../packages/protocol/src/crypto/ecies.js'
import { didOf } from '../../packages/protocol/src/ddo/ddo.js'
import { compiled, minedReceipt } from './contracts.js'

const FACTORY = artifact(ARTIFACTS.ERC721Factory).abi
const NFT = artifact(ARTIFACTS.ERC721Template).abi

/** How many assets one transaction creates or publishes. */
const BATCH = 20

interface Call {
  to: Address
  data: Hex
}

/** Sends calls through a Batch contract, several per transaction. Returns the logs of all of them. */
export async function batched(rpcUrl: string, batch: Address, calls: Call[]) {
  // the node signs: to hash a megabyte of calldata takes it a fraction of the time
  const account = devAccounts()[4]?.address as Address
  const wallet = createWalletClient({ account, transport: http(rpcUrl, { timeout: 240_000 }) })
  const { abi } = compiled('Batch')
  const logs = []
  for (let at = 0; at < calls.length; at += BATCH) {
    const some = calls.slice(at, at + BATCH)
    const args = [some.map(({ to }) => to), some.map(({ data }) => data)]
    const hash = await wallet.writeContract({ address: batch, abi, functionName: 'run', args, chain: null })
    logs.push(...(await minedReceipt(rpcUrl, hash)).logs)
  }
  return logs
}

interface ManyAssets {
  factory: Address
  /** A deployed Batch contract. */
  batch: Address
  publicKey: Uint8Array
  count: number
  chainId?: number
}

/** Publishes many assets, encrypted to a key and owned by a Batch contract. Returns their data NFTs. */
export async function publishMany(
  rpcUrl: string,
  { factory, batch, publicKey, count, chainId = DEV_CHAIN_ID }: ManyAssets,
): Promise<Address[]> {
  const nft = { name: 'n', symbol: 's', templateIndex: 1, tokenURI: '', transferable: true, owner: batch }
  const datatoken = {
    templateIndex: 1,
    strings: ['d', 't'],
    addresses: [batch, zeroAddress, zeroAddress, zeroAddress],
    uints: [10n ** 20n, 0n],
    bytess: [],
  }
  const create = encodeFunctionData({ abi: FACTORY, functionName: 'createNftWithErc20', args: [nft, datatoken] })
  const logs = await batched(
    rpcUrl,
    batch,
    Array.from({ length: count }, () => ({ to: factory, data: create })),
  )
  const events = parseEventLogs({ abi: EVENTS, logs, strict: true })
  const nfts = events.flatMap((event) => (event.eventName === 'NFTCreated' ? event.args.newTokenAddress : []))
  const tokens = events.flatMap((event) => (event.eventName === 'TokenCreated' ? event.args.newTokenAddress : []))
  const published = nfts.map((address, at) => {
    const services = [
      { id: 'a', type: 'access', files: '0x', datatokenAddress: tokens[at], serviceEndpoint: 'http://x', timeout: 0 },
    ]
    const common = { version: '4.1.0', chainId, nftAddress: address, services }
    const plain = Buffer.from(JSON.stringify({ id: didOf(address, chainId), ...common }))
    const hash = `0x${createHash('sha256').update(plain).digest('hex')}`
    const args = [0, '', '', '0x02', bytesToHex(encrypt(publicKey, plain)), hash, []]
    return { to: address, data: encodeFunctionData({ abi: NFT, functionName: 'setMetaData', args }) }
  })
  await batched(rpcUrl, batch, published)
  return nfts
}

/** A call that sets the state of a data NFT. */
export function stateCall(nft: Address, state: number): Call {
  return { to: nft, data: encodeFunctionData({ abi: NFT, functionName: 'setMetaDataState', args: [state] }) }
}
