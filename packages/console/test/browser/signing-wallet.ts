import type { BrowserContext } from 'playwright-core'
import { createWalletClient, type Hex, hexToBigInt, hexToString, http, numberToHex, size } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'

/** Name of the page's function that asks the wallet, in a browser context. */
const ASK = '__askWallet'
/** Name of the wallet's function that notifies pages of changes. */
const TELL = '__tellPage'
/** Error of a wallet whose owner declines (EIP-1193). */
const REJECTED = { code: 4001, message: 'User rejected the request.' }
const UNKNOWN_CHAIN = { code: 4902, message: 'Unrecognized chain ID.' }

interface Call {
  method: string
  params?: unknown[]
}

export interface SigningWalletOptions {
  keys: readonly Hex[]
  rpcUrl: string
  chainId: number
  /** Its pages are notified of changes. */
  context: BrowserContext
}

/**
 * A browser wallet that announces itself by EIP-6963 and signs with its own keys, outside of the page. Tests can delay,
 * decline and inspect its requests.
 */
export class SigningWallet {
  /** Called methods, in order. */
  readonly asked: string[] = []
  /** Signed messages as text; a hash as hex. */
  readonly signed: string[] = []
  /** Methods to decline. */
  readonly declines = new Set<string>()
  /** Called before a transaction is sent, while the page waits. */
  beforeSending: () => Promise<void> = async () => {}
  /** Called before a message is signed, while the page waits. */
  beforeSigning: () => Promise<void> = async () => {}
  /** Chains that it can switch to. */
  readonly chains: Set<number>
  private readonly accounts: readonly PrivateKeyAccount[]
  private chosen = 0
  private chainId: number

  constructor(private readonly options: SigningWalletOptions) {
    this.accounts = options.keys.map((key) => privateKeyToAccount(key))
    this.chainId = options.chainId
    this.chains = new Set([options.chainId])
  }

  /** Adds a wallet to all new pages of a context. Each request goes to the wallet of its time. */
  static async install(context: BrowserContext, wallet: () => SigningWallet): Promise<void> {
    await context.exposeBinding(ASK, async (_source, call: Call) => {
      try {
        return { result: await wallet().answer(call) }
      } catch (error) {
        const { code = -32_603, message } = error as { code?: number; message: string }
        return { error: { code, message } }
      }
    })
    await context.addInitScript(announce, [ASK, TELL] as const)
  }

  get address(): string {
    return this.account.address
  }

  /** Chooses another account, as its owner. */
  async choose(account: number): Promise<void> {
    this.chosen = account
    await this.tell('accountsChanged', [this.address])
  }

  /** Switches to another chain, as its owner, and remembers the chain. */
  async goTo(chainId: number): Promise<void> {
    this.chains.add(chainId)
    this.chainId = chainId
    await this.tell('chainChanged', numberToHex(chainId))
  }

  /** Number of calls of a method. */
  count(method: string): number {
    return this.asked.filter((one) => one === method).length
  }

  private get account(): PrivateKeyAccount {
    return this.accounts[this.chosen] as PrivateKeyAccount
  }

  private async tell(event: string, value: unknown): Promise<void> {
    for (const page of this.options.context.pages())
      await page.evaluate(
        ([name, event, value]) =>
          (globalThis as never as Record<string, (...of: unknown[]) => void>)[name]?.(event, value),
        [TELL, event, value] as const,
      )
  }

  private async answer({ method, params = [] }: Call): Promise<unknown> {
    this.asked.push(method)
    if (this.declines.has(method)) throw REJECTED
    const [first] = params as [never]
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return [this.address]
      case 'eth_chainId':
        return numberToHex(this.chainId)
      case 'personal_sign':
        await this.beforeSigning()
        this.signed.push(size(first) === 32 ? first : hexToString(first))
        return this.account.signMessage({ message: { raw: first } })
      case 'wallet_switchEthereumChain': {
        const chainId = Number((first as { chainId: string }).chainId)
        if (!this.chains.has(chainId)) throw UNKNOWN_CHAIN
        await this.goTo(chainId)
        return null
      }
      case 'wallet_addEthereumChain':
        // like some wallets: adds the chain without switching
        this.chains.add(Number((first as { chainId: string }).chainId))
        return null
      case 'eth_sendTransaction':
        return this.send(first)
      default:
        return this.node.request({ method, params } as never)
    }
  }

  private async send({ from, to, data, value }: { from: Hex; to?: Hex; data?: Hex; value?: Hex }): Promise<Hex> {
    const account = this.accounts.find(({ address }) => address.toLowerCase() === from.toLowerCase())
    if (!account) throw { code: 4100, message: 'The account is not authorized.' }
    await this.beforeSending()
    if (this.declines.has('eth_sendTransaction')) throw REJECTED
    if (this.chainId !== this.options.chainId) throw { code: 4901, message: 'On another chain.' }
    return this.node.sendTransaction({
      account,
      chain: null,
      to: to ?? null,
      ...(data ? { data } : {}),
      ...(value ? { value: hexToBigInt(value) } : {}),
    })
  }

  private get node() {
    return createWalletClient({ transport: http(this.options.rpcUrl) })
  }
}

/** Runs in the page: the wallet's interface for pages. */
function announce([ask, tell]: readonly [string, string]): void {
  const page = globalThis as never as Record<
    string,
    (...of: unknown[]) => Promise<{ result?: unknown; error?: object }>
  >
  const listeners = new Map<string, Set<(value: unknown) => void>>()
  const provider = {
    async request(call: unknown) {
      const { result, error } = (await page[ask]?.(call)) ?? {}
      if (error) throw Object.assign(new Error('The wallet did not do it.'), error)
      return result
    },
    on: (event: string, heard: (value: unknown) => void) =>
      listeners.set(event, (listeners.get(event) ?? new Set()).add(heard)),
    removeListener: (event: string, heard: (value: unknown) => void) => listeners.get(event)?.delete(heard),
  }
  page[tell] = async (event, value) => {
    for (const heard of listeners.get(event as string) ?? []) heard(value)
    return {}
  }
  const info = {
    uuid: '6f0c6f5e-0000-4000-8000-000000000001',
    name: 'Signing wallet',
    icon: '',
    rdns: 'org.example.wallet',
  }
  const detail = Object.freeze({ info, provider })
  const show = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  addEventListener('eip6963:requestProvider', show)
  show()
}
