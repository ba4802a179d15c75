import { encodeEventTopics, type Hex, parseAbi } from 'viem'

/** Events of the data NFT and datatoken contracts that the index and the order check read. */
export const EVENTS = parseAbi([
  'event NFTCreated(address newTokenAddress, address indexed templateAddress, string tokenName, address indexed admin, string symbol, string tokenURI, bool transferable, address indexed creator)',
  'event TokenCreated(address indexed newTokenAddress, address indexed templateAddress, string name, string symbol, uint256 cap, address creator)',
  'event MetadataCreated(address indexed createdBy, uint8 state, string decryptorUrl, bytes flags, bytes data, bytes32 metaDataHash, uint256 timestamp, uint256 blockNumber)',
  'event MetadataUpdated(address indexed updatedBy, uint8 state, string decryptorUrl, bytes flags, bytes data, bytes32 metaDataHash, uint256 timestamp, uint256 blockNumber)',
  'event MetadataState(address indexed updatedBy, uint8 state, uint256 timestamp, uint256 blockNumber)',
  'event OrderStarted(address indexed consumer, address payer, uint256 amount, uint256 serviceIndex, uint256 timestamp, address indexed publishMarketAddress, uint256 blockNumber)',
  'event OrderReused(bytes32 orderTxId, address caller, uint256 timestamp, uint256 number)',
  'event ProviderFee(address indexed providerFeeAddress, address indexed providerFeeToken, uint256 providerFeeAmount, bytes providerData, uint8 v, bytes32 r, bytes32 s, uint256 validUntil)',
])

/** Returns the first topics of the named events, as a filter that matches any of them. */
export function topicsOf(names: (typeof EVENTS)[number]['name'][]): Hex[] {
  return names.map((eventName) => encodeEventTopics({ abi: EVENTS, eventName } as never)[0] as Hex)
}

/** The first topics of the events that publish a document. */
export const METADATA_TOPICS: readonly Hex[] = topicsOf(['MetadataCreated', 'MetadataUpdated'])

/** View functions: of the factory and data NFTs for decryption, of the other contracts for owner and price. */
export const VIEWS = parseAbi([
  'function erc721List(address nft) view returns (address)',
  'function metaDataState() view returns (uint8)',
  'function getTokensList() view returns (address[])',
  'function ownerOf(uint256 tokenId) view returns (address)',
  'function tokenURI(uint256 tokenId) view returns (string)',
  'function balanceOf(address owner) view returns (uint256)',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function getFixedRates() view returns ((address contractAddress, bytes32 id)[])',
  'function getDispensers() view returns (address[])',
  'function getExchange(bytes32 exchangeId) view returns (address exchangeOwner, address datatoken, uint256 dtDecimals, address baseToken, uint256 btDecimals, uint256 fixedRate, bool active, uint256 dtSupply, uint256 btSupply, uint256 dtBalance, uint256 btBalance, bool withMint)',
  'function status(address datatoken) view returns (bool active, address owner, bool isMinter, uint256 maxTokens, uint256 maxBalance, uint256 balance, address allowedSwapper)',
])
