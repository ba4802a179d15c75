import { rpcClient, walletClient } from '@tidegate/chain'
import {
  type Address,
  getContractAddress,
  type Hex,
  type PublicClient,
  parseEther,
  parseGwei,
  parseUnits,
  type WalletClient,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { DEV_CHAIN_ID, type DevAccount, devAccounts } from './anvil.js'
import { ARTIFACTS, artifact, type ContractArtifact, USDC } from './contracts.js'
import { DEV_LIMITS } from './limits.js'

/** A network in address.json, in the form of client libraries. */
export interface AddressEntry {
  chainId: number
  startBlock: number
  Ocean: Address
  MockDAI: Address
  MockUSDC: Address
  OPFCommunityFeeCollector: Address
  Router: Address
  FixedPrice: Address
  Dispenser: Address
  ERC20Template: Record<'1' | '2' | '3' | '4', Address>
  ERC721Template: Record<'1', Address>
  ERC721Factory: Address
  AccessListFactory: Address
  Escrow: Address
  EnterpriseFeeCollector: Address
  BatchPayments: Address
}

/** Units of each token per account. The first account has the rest. */
const UNITS_EACH = '10000'
const USDC_SUPPLY = '1000000000'

/** Key of the local network in address.json. Client libraries look it up. */
export const DEV_NETWORK = 'development'

/**
 * Deploys the datatoken contracts to a new local chain, wired like Ocean's usual local network. Nonces are assigned in
 * advance, so contract addresses are known before mining. Throws if a deployment fails.
 */
export async function deployContracts(rpcUrl: string): Promise<AddressEntry> {
  const reader = rpcClient(new URL(rpcUrl))
  const [first, ...others] = devAccounts()
  const deployer = await Deployer.create(reader, (first as DevAccount).privateKey)
  const owner = deployer.address
  const startBlock = Number(await reader.getBlockNumber())

  const Ocean = deployer.deploy('OceanToken', [owner])
  deployer.call('OceanToken', Ocean, 'mint', [owner, parseEther('1000000')])
  const MockDAI = deployer.deploy('MockERC20Decimals', ['DAI', 'DAI', 18])
  // payable by a signature, as the real one is
  const MockUSDC = deployer.deploy(USDC, [owner, parseUnits(USDC_SUPPLY, 6)])
  const collector = deployer.deploy('OPFCommunityFeeCollector', [owner, owner])
  const router = deployer.deploy('FactoryRouter', [owner, Ocean, owner, collector, []])
  const fixedPrice = deployer.deploy('FixedRateExchange', [router])
  const dispenser = deployer.deploy('Dispenser', [router])
  const nftTemplate = deployer.deploy('ERC721Template', [])
  const template1 = deployer.deploy('ERC20Template', [])
  const template2 = deployer.deploy('ERC20TemplateEnterprise', [])
  const factory = deployer.deploy('ERC721Factory', [nftTemplate, template1, router])
  const template3 = deployer.deploy('ERC20Template3', [])
  const template4 = deployer.deploy('ERC20Template4', [])
  for (const template of [template2, template3, template4])
    deployer.call('ERC721Factory', factory, 'addTokenTemplate', [template])
  deployer.call('FactoryRouter', router, 'addFactory', [factory])
  deployer.call('FactoryRouter', router, 'addFixedRateContract', [fixedPrice])
  deployer.call('FactoryRouter', router, 'addDispenserContract', [dispenser])
  deployer.call('FactoryRouter', router, 'addApprovedToken', [Ocean])
  const accessListFactory = deployer.deploy('AccessListFactory', [deployer.deploy('AccessList', [])])
  const escrow = deployer.deploy('Escrow', [router, collector])
  const enterpriseFees = deployer.deploy('EnterpriseFeeCollector', [owner, owner])
  const payments = deployer.deploy('BatchPayments', [])
  // two transactions for any number of accounts: approve, and send
  const receivers = others.map(({ address }) => address)
  for (const [token, decimals] of [
    [Ocean, 18],
    [MockDAI, 18],
    [MockUSDC, 6],
  ] as const) {
    const amount = parseUnits(UNITS_EACH, decimals)
    deployer.call('OceanToken', token, 'approve', [payments, amount * BigInt(receivers.length)])
    deployer.call('BatchPayments', payments, 'sendToken', [token, receivers, receivers.map(() => amount)])
  }
  await deployer.finish()

  return {
    chainId: DEV_CHAIN_ID,
    startBlock,
    Ocean,
    MockDAI,
    MockUSDC,
    OPFCommunityFeeCollector: collector,
    Router: router,
    FixedPrice: fixedPrice,
    Dispenser: dispenser,
    ERC20Template: { '1': template1, '2': template2, '3': template3, '4': template4 },
    ERC721Template: { '1': nftTemplate },
    ERC721Factory: factory,
    AccessListFactory: accessListFactory,
    Escrow: escrow,
    EnterpriseFeeCollector: enterpriseFees,
    BatchPayments: payments,
  }
}

/** Waits until all transactions of an account below a nonce are mined. Throws after a minute. */
async function allMined(reader: PublicClient, address: Address, nonce: number): Promise<void> {
  const deadline = Date.now() + DEV_LIMITS.node.mining
  while ((await reader.getTransactionCount({ address })) < nonce) {
    if (Date.now() > deadline) throw new Error('The local chain does not mine.')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Collects transactions of the first account with consecutive nonces, and sends them in order. */
class Deployer {
  private readonly steps: (() => Promise<Hex>)[] = []

  private constructor(
    private readonly wallet: WalletClient,
    private readonly reader: PublicClient,
    readonly address: Address,
    private nonce: number,
  ) {}

  static async create(reader: PublicClient, key: Hex): Promise<Deployer> {
    const account = privateKeyToAccount(key)
    const wallet = walletClient(account, reader.request as never)
    return new Deployer(wallet, reader, account.address, await reader.getTransactionCount({ address: account.address }))
  }

  deploy(contract: keyof typeof ARTIFACTS | ContractArtifact, args: unknown[]): Address {
    const address = getContractAddress({ from: this.address, nonce: BigInt(this.nonce) })
    const { abi, bytecode } = typeof contract === 'string' ? artifact(ARTIFACTS[contract]) : contract
    const request = { abi, bytecode, args, ...this.common() }
    this.steps.push(() => this.wallet.deployContract(request))
    return address
  }

  call(name: keyof typeof ARTIFACTS, address: Address, functionName: string, args: unknown[]): void {
    const { abi } = artifact(ARTIFACTS[name])
    const request = { abi, address, functionName, args, ...this.common() }
    this.steps.push(() => this.wallet.writeContract(request))
  }

  /** Sends all transactions in order, waits for mining and checks the receipts. Throws if one failed. */
  async finish(): Promise<void> {
    const hashes: Hex[] = []
    for (const step of this.steps) hashes.push(await step())
    await allMined(this.reader, this.address, this.nonce)
    for (const hash of hashes) {
      const receipt = await this.reader.getTransactionReceipt({ hash })
      if (receipt.status !== 'success') throw new Error(`A contract could not be deployed (transaction ${hash}).`)
    }
  }

  /** Returns transaction fields that would cost a request each. */
  private common() {
    const account = this.wallet.account as NonNullable<WalletClient['account']>
    return { account, chain: null, nonce: this.nonce++, gas: DEV_LIMITS.node.gas, gasPrice: parseGwei('2') }
  }
}
