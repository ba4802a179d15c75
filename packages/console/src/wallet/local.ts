import { WALLET_CODES } from '@tidegate/protocol/constants'
import { type Address, createWalletClient, type Hex, hexToBigInt, http, numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { keep, kept } from '../state/kept.js'
import type { Eip1193Provider, FoundWallet } from './provider.js'

/** Storage name of the chosen account. */
const CHOSEN = 'account'

/** The wallet of a local network: it signs without asking, with public keys. */
export interface LocalWallet extends FoundWallet {
  accounts: Address[]
  choose(address: Address): void
}

interface Sent {
  from: Address
  to?: Address
  data?: Hex
  gas?: Hex
  value?: Hex
}

/**
 * Creates a wallet of the accounts of `tidegate dev`. It has the interface of a browser wallet, so that the page has one
 * code path.
 */
export function localWallet(keys: readonly Hex[], chainId: number, rpcUrl: string, name: string): LocalWallet {
  const accounts = keys.map((key) => privateKeyToAccount(key))
  const listeners = new Map<string, Set<(value: never) => void>>()
  let current = accounts.find(({ address }) => address === kept(CHOSEN, String, '')) ?? accounts[0]
  const own = () => {
    if (!current) throw new Error('The local network has no accounts.')
    return current
  }
  /** Returns the account of a request: the chosen one may have changed in the meantime. */
  const named = (address: unknown) => {
    const account = accounts.find((one) => one.address.toLowerCase() === String(address).toLowerCase())
    if (!account) throw Object.assign(new Error('The wallet has no such account.'), { code: WALLET_CODES.unauthorized })
    return account
  }
  const node = createWalletClient({ transport: http(rpcUrl) })
  const request: Eip1193Provider['request'] = async ({ method, params }) => {
    const [first, second] = (params ?? []) as unknown[]
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return [own().address]
      case 'eth_chainId':
        return numberToHex(chainId)
      case 'wallet_switchEthereumChain':
        return null
      case 'personal_sign':
        return named(second).signMessage({ message: { raw: first as Hex } })
      case 'eth_sendTransaction': {
        const { from, to, data, gas, value } = first as Sent
        return node.sendTransaction({
          account: named(from),
          chain: null,
          to: to ?? null,
          ...(data ? { data } : {}),
          ...(gas ? { gas: hexToBigInt(gas) } : {}),
          ...(value ? { value: hexToBigInt(value) } : {}),
        })
      }
      default:
        return node.request({ method, params } as never)
    }
  }
  const provider: Eip1193Provider = {
    request,
    on: (event, heard) => listeners.set(event, (listeners.get(event) ?? new Set()).add(heard)),
    removeListener: (event, heard) => listeners.get(event)?.delete(heard),
  }
  return {
    id: 'tidegate.local',
    name,
    builtIn: true,
    provider,
    accounts: accounts.map(({ address }) => address),
    choose(address) {
      current = accounts.find((account) => account.address === address) ?? current
      keep(CHOSEN, own().address)
      for (const heard of listeners.get('accountsChanged') ?? []) heard([own().address] as never)
    },
  }
}
