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
