import { randomBytes } from 'node:crypto'
import { ethers } from 'ethers'

/** A new account. `Wallet.createRandom` derives one from a mnemonic, which takes ten times as long. */
export function newWallet(provider?: ethers.providers.Provider): ethers.Wallet {
  return new ethers.Wallet(randomBytes(32), provider)
}
