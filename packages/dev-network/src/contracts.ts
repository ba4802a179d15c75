import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Abi, Hex } from 'viem'
import usdc from './usdc.json' with { type: 'json' }

export interface ContractArtifact {
  abi: Abi
  bytecode: Hex
}

const require = createRequire(import.meta.url)

/** The token of contracts/Usdc.sol, as usdc.test.ts compiles it. Its constructor takes the holder of a supply. */
export const USDC = usdc as ContractArtifact

/** Returns ABI and bytecode of a contract in the npm package @oceanprotocol/contracts, by its path below artifacts/contracts. */
export function artifact(path: string): ContractArtifact {
  let file: string
  try {
    file = require.resolve(`@oceanprotocol/contracts/artifacts/contracts/${path}.json`)
  } catch {
    throw new Error(
      'The local network needs the npm package @oceanprotocol/contracts: install without --omit=optional.',
    )
  }
  return JSON.parse(readFileSync(file, 'utf8')) as ContractArtifact
}

export const ARTIFACTS = {
  OceanToken: 'utils/OceanToken.sol/OceanToken',
  MockERC20Decimals: 'utils/mock/MockERC20Decimals.sol/MockERC20Decimals',
  OPFCommunityFeeCollector: 'communityFee/OPFCommunityFeeCollector.sol/OPFCommunityFeeCollector',
  FactoryRouter: 'pools/FactoryRouter.sol/FactoryRouter',
  FixedRateExchange: 'pools/fixedRate/FixedRateExchange.sol/FixedRateExchange',
  Dispenser: 'pools/dispenser/Dispenser.sol/Dispenser',
  ERC721Template: 'templates/ERC721Template.sol/ERC721Template',
  ERC20Template: 'templates/ERC20Template.sol/ERC20Template',
  ERC20TemplateEnterprise: 'templates/ERC20TemplateEnterprise.sol/ERC20TemplateEnterprise',
  ERC20Template3: 'templates/ERC20Template3.sol/ERC20Template3',
  ERC20Template4: 'templates/ERC20Template4.sol/ERC20Template4',
  ERC721Factory: 'ERC721Factory.sol/ERC721Factory',
  AccessList: 'accesslists/AccessList.sol/AccessList',
  AccessListFactory: 'accesslists/AccessListFactory.sol/AccessListFactory',
  Escrow: 'escrow/Escrow.sol/Escrow',
  EnterpriseFeeCollector: 'communityFee/EnterpriseFeeCollector.sol/EnterpriseFeeCollector',
  BatchPayments: 'rewards/BatchPayments.sol/BatchPayments',
} as const
