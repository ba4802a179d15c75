import type { CallUntrusted } from '@tidegate/chain'
import { COMMON_LIMITS } from '@tidegate/common'
import * as abi from '@tidegate/protocol/abi'
import {
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  parseAbi,
} from 'viem'

/** What purchases read of tokens, datatokens, exchanges, factory and router. */
const PURCHASE_VIEWS = parseAbi([
  abi.BALANCE_OF,
  abi.SYMBOL,
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function decimals() view returns (uint8)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function getId() view returns (uint8)',
  'function getPublishingMarketFee() view returns (address receiver, address token, uint256 amount)',
  abi.FIXED_RATES,
  abi.DISPENSERS,
  abi.EXCHANGE,
  abi.DISPENSER_STATUS,
  'function getAllowedSwapper(bytes32 exchangeId) view returns (address)',
  'function calcBaseInGivenOutDT(bytes32 exchangeId, uint256 datatokens, uint256 marketFee) view returns (uint256 base, uint256 communityFee, uint256 publishMarketFee, uint256 consumeMarketFee)',
  'function router() view returns (address)',
  'function erc20List(address datatoken) view returns (bool)',
  'function getFixedRatesContracts() view returns (address[])',
])

type View = ContractFunctionName<typeof PURCHASE_VIEWS, 'view'>

/** Calls a view of an untrusted contract. Undefined if it fails or does not fit. Rejects if the node fails. */
export async function callView<N extends View>(
  call: CallUntrusted,
  to: Address,
  functionName: N,
  args: ContractFunctionArgs<typeof PURCHASE_VIEWS, 'view', N>,
): Promise<ContractFunctionReturnType<typeof PURCHASE_VIEWS, 'view', N> | undefined> {
  const data = encodeFunctionData({ abi: PURCHASE_VIEWS, functionName, args } as never)
  const answer = await call({ to, data, limit: COMMON_LIMITS.contract.view })
  if (answer === undefined) return undefined
  try {
    return decodeFunctionResult({ abi: PURCHASE_VIEWS, functionName, data: answer } as never) as never
  } catch {
    return undefined
  }
}
