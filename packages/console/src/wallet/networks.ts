import { numberToHex } from 'viem'
import { chainOf } from '../state/config.js'
import { type Eip1193Provider, isUnknownChain } from './provider.js'

/**
 * Asks the wallet to switch to a chain, and adds the chain if it is unknown. Throws the wallet's errors, including a
 * refusal.
 */
export async function switchChain(provider: Eip1193Provider, chainId: number): Promise<void> {
  const hex = numberToHex(chainId)
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: hex }] })
  } catch (error) {
    const chain = chainOf(chainId)
    if (!isUnknownChain(error) || !chain?.rpcUrl) throw error
    const { name, rpcUrl, currency, explorer } = chain
    const described = {
      chainId: hex,
      chainName: name,
      rpcUrls: [rpcUrl],
      nativeCurrency: { name: currency.symbol, ...currency },
      ...(explorer ? { blockExplorerUrls: [explorer] } : {}),
    }
    await provider.request({ method: 'wallet_addEthereumChain', params: [described] })
    // some wallets add a chain without switching
    if (Number(await provider.request({ method: 'eth_chainId' })) !== chainId)
      await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: hex }] })
  }
}
