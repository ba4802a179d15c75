import { parseAbi } from 'viem'

const FEE =
  'struct ProviderFee { address providerFeeAddress; address providerFeeToken; uint256 providerFeeAmount; uint8 v; bytes32 r; bytes32 s; uint256 validUntil; bytes providerData; }'
const MARKET_FEE =
  'struct MarketFee { address consumeMarketFeeAddress; address consumeMarketFeeToken; uint256 consumeMarketFeeAmount; }'

/** What is read of the contracts. Each call is bounded: `reads.ts`. Fields that nothing uses have short names, as below. */
export const VIEWS = /* @__PURE__ */ parseAbi([
  // tokens
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
  // datatokens
  'function getId() view returns (uint8)',
  'function cap() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function getERC721Address() view returns (address)',
  'struct Rate { address contractAddress; bytes32 id; }',
  'function getFixedRates() view returns (Rate[])',
  'function getDispensers() view returns (address[])',
  'function getPublishingMarketFee() view returns (address, address, uint256)',
  // exchanges and dispensers
  'function getExchange(bytes32) view returns (address, address, uint256, address, uint256, uint256, bool, uint256, uint256, uint256, uint256, bool)',
  'function getAllowedSwapper(bytes32) view returns (address)',
  'function calcBaseInGivenOutDT(bytes32, uint256, uint256) view returns (uint256, uint256, uint256, uint256)',
  'function status(address) view returns (bool, address, bool, uint256, uint256, uint256, address)',
  // factory and router
  'function router() view returns (address)',
  'function erc20List(address) view returns (bool)',
  'function getFixedRatesContracts() view returns (address[])',
  'function getDispensersContracts() view returns (address[])',
  'function getCurrentTemplateCount() view returns (uint256)',
  'function getTokenTemplate(uint256) view returns ((address templateAddress, bool isActive))',
  // data NFTs
  'function ownerOf(uint256) view returns (address)',
  'function metaDataState() view returns (uint8)',
  'function getPermissions(address) view returns ((bool a, bool b, bool updateMetadata, bool c))',
])

/** Transactions that buy and order. */
export const BUYING = /* @__PURE__ */ parseAbi([
  FEE,
  MARKET_FEE,
  'struct Order { address consumer; uint256 serviceIndex; ProviderFee providerFee; MarketFee consumeMarketFee; }',
  'struct Exchange { address exchangeContract; bytes32 exchangeId; uint256 maxBaseTokenAmount; uint256 swapMarketFee; address marketFeeAddress; }',
  'function approve(address, uint256)',
  'function dispense(address, uint256, address)',
  'function buyDT(bytes32, uint256, uint256, address, uint256)',
  'function startOrder(address, uint256, ProviderFee, MarketFee)',
  'function reuseOrder(bytes32, ProviderFee)',
  'function buyFromFreAndOrder(Order, Exchange)',
  'function buyFromDispenserAndOrder(Order, address)',
])

/** Transactions that publish. */
export const PUBLISHING = /* @__PURE__ */ parseAbi([
  'struct Nft { string name; string symbol; uint256 templateIndex; string tokenURI; bool transferable; address owner; }',
  'struct Datatoken { uint256 templateIndex; string[] strings; address[] addresses; uint256[] uints; bytes[] bytess; }',
  'struct FixedRate { address fixedPriceAddress; address[] addresses; uint256[] uints; }',
  'struct Dispenser { address dispenserAddress; uint256 maxTokens; uint256 maxBalance; bool withMint; address allowedSwapper; }',
  'struct Proof { address validatorAddress; uint8 v; bytes32 r; bytes32 s; }',
  'function createNftWithErc20WithFixedRate(Nft, Datatoken, FixedRate)',
  'function createNftWithErc20WithDispenser(Nft, Datatoken, Dispenser)',
  'function setMetaData(uint8, string, string, bytes, bytes, bytes32, Proof[])',
  'function setMetaDataState(uint8)',
  'function setRate(bytes32, uint256)',
])

/** Events that say what a transaction has made. Parameters that nothing reads have short names, which pages load faster. */
export const EVENTS = /* @__PURE__ */ parseAbi([
  'event NFTCreated(address token, address indexed a, string b, address indexed c, string d, string e, bool f, address indexed g)',
  'event TokenCreated(address indexed token, address indexed a, string b, string c, uint256 d, address e)',
  'event OrderStarted(address indexed consumer, address payer, uint256 c, uint256 serviceIndex, uint256 timestamp, address indexed a, uint256 b)',
  'event OrderReused(bytes32 orderTxId, address caller, uint256 timestamp, uint256 a)',
  'event ProviderFee(address indexed a, address indexed b, uint256 c, bytes providerData, uint8 e, bytes32 f, bytes32 g, uint256 validUntil)',
])
