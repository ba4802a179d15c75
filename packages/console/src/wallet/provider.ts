import { WALLET_CODES } from '@tidegate/protocol/constants'

/** A browser wallet: EIP-1193. */
export interface Eip1193Provider {
  request(call: { method: string; params?: unknown }): Promise<unknown>
  on?(event: string, heard: (value: never) => void): unknown
  removeListener?(event: string, heard: (value: never) => void): unknown
}

/** A wallet that announces itself: EIP-6963. Name and icon are its own claims. */
export interface FoundWallet {
  id: string
  name: string
  /** A data: URL of an image, or none. */
  icon?: string
  provider: Eip1193Provider
  /** Set for the page's own wallet of a local network. */
  builtIn?: true
}

/** Returns the error code of a wallet, wherever libraries have put it. */
export function codeOf(error: unknown): number | undefined {
  for (let one = error, depth = 0; typeof one === 'object' && one !== null && depth < 8; depth++) {
    const { code, cause, data } = one as { code?: unknown; cause?: unknown; data?: { originalError?: unknown } }
    if (typeof code === 'number') return code
    one = cause ?? data?.originalError
  }
  return undefined
}

/** Whether the wallet does not know the chain, by its code, or by other codes of some mobile wallets. */
export const isUnknownChain = (error: unknown): boolean => {
  const code = codeOf(error)
  const { unknownChain, internal } = WALLET_CODES
  return code === unknownChain || (code === internal && /unrecognized chain/i.test(String((error as Error).message)))
}
