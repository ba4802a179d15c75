import { ethers, type Signer } from 'ethers'
import { ARTIFACTS, artifact } from '../../../dev-network/src/contracts.js'

/** A real access list on a local chain, with its owner. */
export class AccessListContract {
  private constructor(private readonly contract: ethers.Contract) {}

  /** Deploys one with its first members, through the factory on the chain. */
  static async deployed(factory: string, owner: Signer, members: string[] = []): Promise<AccessListContract> {
    const { abi } = artifact(ARTIFACTS.AccessListFactory)
    const maker = new ethers.Contract(factory, abi as never, owner)
    const uris = members.map(() => '')
    const sent = await maker.deployAccessListContract?.('Members', 'M', false, await owner.getAddress(), members, uris)
    const { events } = (await sent.wait()) as { events: { event?: string; args: { contractAddress: string } }[] }
    const made = events.find(({ event }) => event === 'NewAccessList')?.args.contractAddress as string
    return new AccessListContract(new ethers.Contract(made, artifact(ARTIFACTS.AccessList).abi as never, owner))
  }

  get address(): string {
    return this.contract.address
  }

  async mint(member: string): Promise<void> {
    await mined(this.contract.mint?.(member, ''))
  }

  /** Burns the only token of a member, as the owner may. */
  async burn(member: Signer): Promise<void> {
    const token = await this.contract.tokenOfOwnerByIndex?.(await member.getAddress(), 0)
    await mined((this.contract.connect(member) as ethers.Contract).burn?.(token))
  }
}

async function mined(sent: Promise<ethers.ContractTransaction> | undefined): Promise<void> {
  await (await sent)?.wait()
}
