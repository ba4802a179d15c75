// Contract signatures for both sides of the wire, for `parseAbi`. Separate exports, so that a page bundles only the ones
// in use.

export const NFT_CREATED =
  'event NFTCreated(address newTokenAddress, address indexed templateAddress, string tokenName, address indexed admin, string symbol, string tokenURI, bool transferable, address indexed creator)'
export const TOKEN_CREATED =
  'event TokenCreated(address indexed newTokenAddress, address indexed templateAddress, string name, string symbol, uint256 cap, address creator)'
export const ORDER_STARTED =
  'event OrderStarted(address indexed consumer, address payer, uint256 amount, uint256 serviceIndex, uint256 timestamp, address indexed publishMarketAddress, uint256 blockNumber)'
export const ORDER_REUSED = 'event OrderReused(bytes32 orderTxId, address caller, uint256 timestamp, uint256 number)'
export const PROVIDER_FEE =
  'event ProviderFee(address indexed providerFeeAddress, address indexed providerFeeToken, uint256 providerFeeAmount, bytes providerData, uint8 v, bytes32 r, bytes32 s, uint256 validUntil)'
export const NEW_FIXED_RATE =
  'event NewFixedRate(bytes32 exchangeId, address indexed owner, address exchangeContract, address indexed baseToken)'
export const NEW_DISPENSER = 'event NewDispenser(address dispenserContract)'

const PROVIDER_FEE_STRUCT =
  'struct ProviderFee { address providerFeeAddress; address providerFeeToken; uint256 providerFeeAmount; uint8 v; bytes32 r; bytes32 s; uint256 validUntil; bytes providerData; }'
const MARKET_FEE_STRUCT =
  'struct MarketFee { address consumeMarketFeeAddress; address consumeMarketFeeToken; uint256 consumeMarketFeeAmount; }'
const ORDER_STRUCT =
  'struct Order { address consumer; uint256 serviceIndex; ProviderFee providerFee; MarketFee consumeMarketFee; }'
const EXCHANGE_STRUCT =
  'struct Exchange { address exchangeContract; bytes32 exchangeId; uint256 maxBaseTokenAmount; uint256 swapMarketFee; address marketFeeAddress; }'

/** Transactions that buy a datatoken from an exchange, and order with it, with their structures. */
export const ORDERING = [
  PROVIDER_FEE_STRUCT,
  MARKET_FEE_STRUCT,
  ORDER_STRUCT,
  EXCHANGE_STRUCT,
  'function buyDT(bytes32, uint256, uint256, address, uint256)',
  'function startOrder(address, uint256, ProviderFee, MarketFee)',
  'function buyFromFreAndOrder(Order, Exchange)',
] as const

/** Views that tell what an order costs: of the datatoken, its exchange, the factory and the router. */
export const OFFERS = [
  'function getId() view returns (uint8)',
  'function getPublishingMarketFee() view returns (address, address, uint256)',
  'function getAllowedSwapper(bytes32) view returns (address)',
  'function calcBaseInGivenOutDT(bytes32, uint256, uint256) view returns (uint256, uint256, uint256, uint256)',
  'function router() view returns (address)',
  'function erc20List(address) view returns (bool)',
  'function getFixedRatesContracts() view returns (address[])',
] as const

/** Views of a token that is paid by a signature (EIP-3009). */
export const SIGNED_PAYMENTS = [
  'function decimals() view returns (uint8)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function authorizationState(address, bytes32) view returns (bool)',
] as const

export const SYMBOL = 'function symbol() view returns (string)'
export const BALANCE_OF = 'function balanceOf(address owner) view returns (uint256)'
export const OWNER_OF = 'function ownerOf(uint256 tokenId) view returns (address)'
export const METADATA_STATE = 'function metaDataState() view returns (uint8)'
export const NFT_PERMISSIONS =
  'function getPermissions(address account) view returns ((bool manager, bool deployERC20, bool updateMetadata, bool store))'
export const FIXED_RATES = 'function getFixedRates() view returns ((address contractAddress, bytes32 id)[])'
export const DISPENSERS = 'function getDispensers() view returns (address[])'
export const EXCHANGE =
  'function getExchange(bytes32 exchangeId) view returns (address exchangeOwner, address datatoken, uint256 dtDecimals, address baseToken, uint256 btDecimals, uint256 fixedRate, bool active, uint256 dtSupply, uint256 btSupply, uint256 dtBalance, uint256 btBalance, bool withMint)'
export const DISPENSER_STATUS =
  'function status(address datatoken) view returns (bool active, address owner, bool isMinter, uint256 maxTokens, uint256 maxBalance, uint256 balance, address allowedSwapper)'
