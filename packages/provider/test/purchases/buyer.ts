import type { SignedPurchaseReceipt } from '@tidegate/protocol/purchase-receipt'
import { x402Client } from '@x402/core/client'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { type Address, type Hex, parseAbi, parseUnits } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { rpcClient } from '../../../../packages/chain/src/rpc/clients.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { transact } from '../../../../test/helpers/transactions.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import type { World } from '../../../../test/helpers/world.js'

const TOKEN = parseAbi([
  'function transfer(address to, uint256 value)',
  'function balanceOf(address owner) view returns (uint256)',
])

/** The URL of a purchase. */
export function purchaseUrl({ network }: World, asset: Published): string {
  const service = { documentId: asset.did, serviceId: asset.ddo.services[0]?.id as string }
  return `${network.providerUrl}/api/services/purchase?${new URLSearchParams(service)}`
}

/** A buyer who holds USDC, and no coin of the chain. */
export class Buyer {
  readonly account: PrivateKeyAccount
  readonly address: Address
  readonly client: x402Client
  /** The published client, unmodified. */
  readonly fetch: typeof fetch

  /** `address`: the contract wallet that pays, for which the wallet signs; by default the wallet's own account. */
  constructor(
    private readonly world: World,
    readonly wallet = newWallet(),
    address?: Address,
  ) {
    this.account = privateKeyToAccount(wallet.privateKey as Hex)
    const signer = address ? { ...this.account, address } : this.account
    this.address = signer.address
    this.client = x402Client.fromConfig({
      schemes: [{ network: 'eip155:*', client: new ExactEvmScheme(signer) }],
      // it knows the stablecoins of public networks alone
      spendControls: false,
    })
    this.fetch = wrapFetchWithPayment(fetch, this.client)
  }

  static async with(world: World, usdc: string): Promise<Buyer> {
    const buyer = new Buyer(world)
    await buyer.receive(usdc)
    return buyer
  }

  async receive(usdc: string): Promise<void> {
    const { network, provider } = this.world
    // the account that deployed the token holds all of it
    const holder = provider.getSigner(network.accounts[0]?.address)
    const args = [this.address, parseUnits(usdc, 6)]
    await transact(network, holder, { to: network.addresses.MockUSDC, abi: TOKEN, functionName: 'transfer', args })
  }

  /** What an account holds, in the smallest unit; by default this buyer. */
  balance(of: Address = this.address): Promise<bigint> {
    const { rpcUrl, addresses } = this.world.network
    const token = { address: addresses.MockUSDC, abi: TOKEN }
    return rpcClient(new URL(rpcUrl)).readContract({ ...token, functionName: 'balanceOf', args: [of] })
  }

  url(asset: Published): string {
    return purchaseUrl(this.world, asset)
  }

  /** Asks for the price. */
  async price(asset: Published): Promise<PaymentRequired> {
    const response = await fetch(this.url(asset))
    return decodePaymentRequiredHeader(response.headers.get('payment-required') as string)
  }

  /** Returns amount and payee of the price. */
  async terms(asset: Published): Promise<{ amount: string; payTo: Address }> {
    const [accepted] = (await this.price(asset)).accepts
    return { amount: accepted?.amount as string, payTo: accepted?.payTo as Address }
  }

  /** Signs a payment, and returns it as a header. */
  async sign(required: PaymentRequired, change: (payload: PaymentPayload) => void = () => undefined): Promise<string> {
    const payload = await this.client.createPaymentPayload(required)
    change(payload)
    return Buffer.from(JSON.stringify(payload)).toString('base64')
  }

  /** Sends a signed payment. */
  async pay(asset: Published, header: string, method: 'GET' | 'POST' = 'GET') {
    const response = await fetch(this.url(asset), { method, headers: { 'payment-signature': header } })
    const told = response.headers.get('payment-response')
    const required = response.headers.get('payment-required')
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: (await response.json()) as PurchaseBody,
      told: told === null ? undefined : decodePaymentResponseHeader(told),
      required: required === null ? undefined : decodePaymentRequiredHeader(required),
    }
  }
}

/** A purchase as the service tells it. */
export interface PurchaseBody {
  id: string
  state: string
  reason?: string
  code?: string
  consumer: string
  transferTxId?: string
  refundTxId?: string
  refunded: string
  validUntil?: number
  terms?: string
  receipt?: SignedPurchaseReceipt
  link?: { url: string; expires: number }
}
