import type { ethers } from 'ethers'
import { createWalletClient, type Hex, http, type WalletClient } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { World } from '../../../test/helpers/world.js'

/** Returns a wallet of this library for a key of a test's chain. */
export function walletOf(world: World, privateKey: string): WalletClient {
  const transport = http(world.network.rpcUrl, { retryCount: 0 })
  return createWalletClient({ account: privateKeyToAccount(privateKey as Hex), transport })
}

/** Returns the wallet of a signer from `world.somebody`. */
export function walletFor(world: World, signer: ethers.Wallet): WalletClient {
  return walletOf(world, signer.privateKey)
}
