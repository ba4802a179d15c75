import * as abi from '@tidegate/protocol/abi'
import { parseAbi } from 'viem'

/** Views of the contracts; `reads.ts` limits each call. Unused fields have short names to keep pages small. */
export const VIEWS = /* @__PURE__ */ parseAbi([
  ...abi.OFFERS,
  ...abi.SIGNED_PAYMENTS,
  // tokens
  abi.SYMBOL,
  abi.BALANCE_OF,
  'function allowance(address, address) view returns (uint256)',
  'function supportsInterface(bytes4) view returns (bool)',
  // datatokens
  'function cap() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function getERC721Address() view returns (address)',
  abi.FIXED_RATES,
  abi.DISPENSERS,
  'function isMinter(address) view returns (bool)',
  'function isERC20Deployer(address) view returns (bool)',
  // exchanges and dispensers
  abi.EXCHANGE,
  'function generateExchangeId(address, address) view returns (bytes32)',
  abi.DISPENSER_STATUS,
  // factory and router
  'function getDispensersContracts() view returns (address[])',
  'function getCurrentTemplateCount() view returns (uint256)',
  'function getTokenTemplate(uint256) view returns ((address templateAddress, bool isActive))',
  // data NFTs
  abi.OWNER_OF,
  abi.METADATA_STATE,
  abi.NFT_PERMISSIONS,
  // access lists
  'function name() view returns (string)',
  'function owner() view returns (address)',
  'function tokenByIndex(uint256) view returns (uint256)',
  'function tokenOfOwnerByIndex(address, uint256) view returns (uint256)',
])

/** Transactions of access lists, and the event of their factory. */
export const LISTS = /* @__PURE__ */ parseAbi([
  'function deployAccessListContract(string, string, bool, address, address[], string[])',
  'function batchMint(address[], string[])',
  'function burn(uint256)',
  'event NewAccessList(address indexed contractAddress, address indexed owner)',
])

/** Transactions for buying and ordering. */
export const BUYING = /* @__PURE__ */ parseAbi([
  ...abi.ORDERING,
  'function approve(address, uint256)',
  'function dispense(address, uint256, address)',
  'function reuseOrder(bytes32, ProviderFee)',
  'function buyFromDispenserAndOrder(Order, address)',
])

/** Transactions for publishing. */
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
  'function createFixedRate(address, address[], uint256[])',
  'function createDispenser(address, uint256, uint256, bool, address)',
  'function toggleExchangeState(bytes32)',
  'function toggleMintState(bytes32, bool)',
  'function activate(address, uint256, uint256)',
  'function deactivate(address)',
])

/** Events that show a transaction's effect. */
export const EVENTS = /* @__PURE__ */ parseAbi([
  abi.NFT_CREATED,
  abi.TOKEN_CREATED,
  abi.ORDER_STARTED,
  abi.ORDER_REUSED,
  abi.PROVIDER_FEE,
])
