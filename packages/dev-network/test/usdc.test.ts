import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme as Payer } from '@x402/evm/exact/client'
import { ExactEvmScheme as Facilitator } from '@x402/evm/exact/facilitator'
import { type Address, createWalletClient, type Hex, http, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import { compile, deployed } from '../../../test/helpers/contracts.js'
import { World } from '../../../test/helpers/world.js'
import { USDC } from '../src/contracts.js'

const PRICE = 2_500_000n
const NETWORK = 'eip155:8996'

describe('the USDC of the local network', () => {
  let world: World
  let facilitator: Facilitator
  let token: { address: Address; abi: typeof USDC.abi }

  beforeAll(async () => {
    world = await World.start()
    token = { address: world.network.addresses.MockUSDC, abi: USDC.abi }
    facilitator = new Facilitator(toFacilitatorEvmSigner({ address: wallet(1).account.address, ...wallet(1) } as never))
  })

  /** A client of an account of the network, which has coins for gas. */
  const wallet = (index: number) => {
    const account = privateKeyToAccount(world.network.accounts[index]?.privateKey as Hex)
    return createWalletClient({ account, transport: http(world.network.rpcUrl) }).extend(publicActions)
  }
  const read = (functionName: string, ...args: unknown[]) => wallet(1).readContract({ ...token, functionName, args })
  const send = async (functionName: string, ...args: unknown[]) => {
    const hash = await wallet(0).writeContract({ ...token, functionName, args, chain: null })
    return wallet(0).waitForTransactionReceipt({ hash, pollingInterval: 20 })
  }
  const payTo = () => wallet(2).account.address
  const requirements = (): PaymentRequirements => ({
    ...{ scheme: 'exact', network: NETWORK, amount: String(PRICE), asset: token.address, payTo: payTo() },
    ...{ maxTimeoutSeconds: 600, extra: { assetTransferMethod: 'eip3009', name: 'USDC', version: '2' } },
  })
  type Signer = ConstructorParameters<typeof Payer>[0]
  const paid = async (signer: Signer) => {
    const accepted = requirements()
    return { ...(await new Payer(signer).createPaymentPayload(2, accepted)), accepted } as PaymentPayload
  }

  it('is what its source compiles to', async () => {
    const text = `${JSON.stringify(compile('Usdc', new URL('../contracts/', import.meta.url)))}\n`
    await expect(text).toMatchFileSnapshot('../src/usdc.json')
  })

  it('is paid by the signature of a holder without coins, once, and settled by a published facilitator', async () => {
    const buyer = privateKeyToAccount(generatePrivateKey())
    const payment = await paid(buyer)
    expect(await facilitator.verify(payment, requirements())).toMatchObject({ isValid: false })
    await send('transfer', buyer.address, PRICE + 1n)
    expect(await facilitator.verify(payment, requirements())).toMatchObject({ isValid: true })

    const before = (await read('balanceOf', payTo())) as bigint
    expect(await facilitator.settle(payment, requirements())).toMatchObject({ success: true, payer: buyer.address })
    expect(await read('balanceOf', payTo())).toBe(before + PRICE)
    expect(await read('balanceOf', buyer.address)).toBe(1n)
    const again = new Facilitator(toFacilitatorEvmSigner({ address: payTo(), ...wallet(2) } as never))
    expect(await again.settle(payment, requirements())).toMatchObject({ success: false })
    expect(await read('balanceOf', buyer.address)).toBe(1n)
  })

  it('is paid by a contract wallet, whose owner signs', async () => {
    const owner = privateKeyToAccount(generatePrivateKey())
    const address = await deployed(world.network.rpcUrl, 'Wallet', [owner.address])
    await send('transfer', address, PRICE)
    const payment = await paid({ address, signTypedData: (data) => owner.signTypedData(data as never) })
    const { signature, authorization } = payment.payload as { signature: Hex; authorization: Record<string, string> }
    const { from, to, value, validAfter, validBefore, nonce } = authorization
    const call = [from, to, value, validAfter, validBefore, nonce]
    const stranger = await privateKeyToAccount(generatePrivateKey()).signMessage({ message: 'x' })
    await expect(send('transferWithAuthorization', ...call, stranger)).rejects.toThrow('invalid signature')
    await send('transferWithAuthorization', ...call, signature)
    expect(await read('balanceOf', address)).toBe(0n)
  })
})
