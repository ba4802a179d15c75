import { type Address, getContractAddress, toFunctionSelector } from 'viem'
import { compiled, deployed } from '../../../../test/helpers/contracts.js'
import { transact } from '../../../../test/helpers/transactions.js'
import type { World } from '../../../../test/helpers/world.js'
import { rpcClient } from '../../../chain/src/rpc/clients.js'
import { devAccounts } from '../../../dev-network/src/anvil.js'

/** What a function of the token does instead of its work, in the order of the contract. */
const FAULTS = ['none', 'reverts', 'zero', 'one', 'megabyte', 'burns', 'calls back'] as const

export type Fault = (typeof FAULTS)[number]

/** The account that deploys tokens, and sends nothing before. So their addresses are known before the chain is. */
const DEPLOYER = 6

/** Returns the address that a token gets by its place. */
export const tokenAt = (at: number): Address =>
  getContractAddress({ from: devAccounts()[DEPLOYER]?.address as Address, nonce: BigInt(at) })

/** A token of the local chain that misbehaves on demand. */
export class HostileToken {
  private readonly faulty = new Set<string>()

  private constructor(
    private readonly world: World,
    readonly address: Address,
  ) {}

  static async deploy(world: World): Promise<HostileToken> {
    return new HostileToken(world, await deployed(world.network.rpcUrl, 'HostileToken', [], DEPLOYER))
  }

  /** Calls a function of the contract. */
  async call(functionName: string, ...args: unknown[]): Promise<void> {
    const { network, provider } = this.world
    const sender = provider.getSigner(network.accounts[DEPLOYER]?.address)
    await transact(network, sender, { to: this.address, abi: compiled('HostileToken').abi, functionName, args })
  }

  /** Lets all functions of a name misbehave: always, or in transactions alone and not while a node simulates them. */
  async misbehave(name: string, fault: Fault, isSly = false): Promise<void> {
    const named = compiled('HostileToken').abi.filter((item) => item.type === 'function' && item.name === name)
    for (const one of named)
      await this.call('misbehave', toFunctionSelector(one as never), FAULTS.indexOf(fault), isSly)
    if (fault !== 'none') this.faulty.add(name)
  }

  /** Ends all misbehaviour. */
  async calm(): Promise<void> {
    for (const name of this.faulty) await this.misbehave(name, 'none')
    this.faulty.clear()
    await this.call('levy', 0n, false)
    await this.call('claim', 'Tide', '1', 6)
  }

  /** What an account holds, in the smallest unit. */
  balance(of: Address): Promise<bigint> {
    const { abi } = compiled('HostileToken')
    const client = rpcClient(new URL(this.world.network.rpcUrl))
    return client.readContract({ address: this.address, abi, functionName: 'balanceOf', args: [of] }) as Promise<bigint>
  }
}
