import * as abi from '@tidegate/protocol/abi'
import { encodeEventTopics, type Hex, parseAbi } from 'viem'

/** Events of data NFTs, datatokens, exchanges and dispensers that the index and the order check read. */
export const EVENTS = parseAbi([
  abi.NFT_CREATED,
  abi.TOKEN_CREATED,
  'event MetadataCreated(address indexed createdBy, uint8 state, string decryptorUrl, bytes flags, bytes data, bytes32 metaDataHash, uint256 timestamp, uint256 blockNumber)',
  'event MetadataUpdated(address indexed updatedBy, uint8 state, string decryptorUrl, bytes flags, bytes data, bytes32 metaDataHash, uint256 timestamp, uint256 blockNumber)',
  'event MetadataState(address indexed updatedBy, uint8 state, uint256 timestamp, uint256 blockNumber)',
  abi.ORDER_STARTED,
  abi.ORDER_REUSED,
  abi.PROVIDER_FEE,
  abi.NEW_FIXED_RATE,
  abi.NEW_DISPENSER,
  'event ExchangeCreated(bytes32 indexed exchangeId, address indexed baseToken, address indexed datatoken, address exchangeOwner, uint256 fixedRate)',
  'event ExchangeRateChanged(bytes32 indexed exchangeId, address indexed exchangeOwner, uint256 newRate)',
  'event ExchangeActivated(bytes32 indexed exchangeId, address indexed exchangeOwner)',
  'event ExchangeDeactivated(bytes32 indexed exchangeId, address indexed exchangeOwner)',
  'event DispenserCreated(address indexed datatokenAddress, address indexed owner, uint256 maxTokens, uint256 maxBalance, address allowedSwapper)',
  'event DispenserActivated(address indexed datatokenAddress)',
  'event DispenserDeactivated(address indexed datatokenAddress)',
])

/** Returns the first topics of the named events, for a filter that matches any of them. */
export function topicsOf(names: (typeof EVENTS)[number]['name'][]): Hex[] {
  return names.map((eventName) => encodeEventTopics({ abi: EVENTS, eventName } as never)[0] as Hex)
}

/** The first topics of the events that publish a document. */
export const METADATA_TOPICS: readonly Hex[] = topicsOf(['MetadataCreated', 'MetadataUpdated'])

/** View functions of the factory, data NFTs, datatokens, exchanges, dispensers and access lists. */
export const VIEWS = parseAbi([
  'function erc721List(address nft) view returns (address)',
  abi.METADATA_STATE,
  'function getTokensList() view returns (address[])',
  abi.OWNER_OF,
  abi.NFT_PERMISSIONS,
  'function tokenURI(uint256 tokenId) view returns (string)',
  abi.BALANCE_OF,
  'function totalSupply() view returns (uint256)',
  'function tokenByIndex(uint256 index) view returns (uint256)',
  'function name() view returns (string)',
  abi.SYMBOL,
  abi.FIXED_RATES,
  abi.DISPENSERS,
  abi.EXCHANGE,
  abi.DISPENSER_STATUS,
])
