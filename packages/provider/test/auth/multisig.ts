import { ethers, type Wallet } from 'ethers'
import { compiled, deployed } from '../../../../test/helpers/contracts.js'
import { newWallet } from '../../../../test/helpers/wallet.js'

/** A contract wallet whose owners must all sign, and their signature of a text. */
export interface Multisig {
  address: string
  sign(text: string, by?: Wallet[]): Promise<string>
}

/** Deploys a wallet with `count` owners to a local chain. */
export async function deployMultisig(rpcUrl: string, count: number): Promise<Multisig> {
  const owners = Array.from({ length: count }, () => newWallet())
  owners.sort((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1))
  const address = await deployed(rpcUrl, 'Multisig', [owners.map((owner) => owner.address)])
  const provider = new ethers.providers.StaticJsonRpcProvider(rpcUrl)
  const contract = new ethers.Contract(ethers.utils.getAddress(address), compiled('Multisig').abi as never, provider)
  return {
    address: contract.address,
    async sign(text, by = owners) {
      const hash = ethers.utils.arrayify(ethers.utils.keccak256(ethers.utils.toUtf8Bytes(text)))
      const signed = (await contract.signedHash?.(ethers.utils.hashMessage(hash))) as string
      const signatures = by.map((owner) => ethers.utils.joinSignature(owner._signingKey().signDigest(signed)))
      return ethers.utils.hexConcat(signatures)
    },
  }
}
