import { randomBytes } from 'node:crypto'
import { type Address, concat, getAddress, type Hex, numberToHex, size } from 'viem'

/** The length of the code before the answer, in bytes. */
const PROLOGUE = 18

/** Code that answers every call with these bytes, whatever they are. */
export function answering(data: Hex): Hex {
  const length = numberToHex(size(data), { size: 4 })
  // CODECOPY(0, PROLOGUE, length) RETURN(0, length)
  return concat(['0x63', length, numberToHex(0x60 * 256 + PROLOGUE), '0x600039', '0x63', length, '0x6000f3', data])
}

/** Code that answers, or reverts, with `length` zero bytes. */
export function zeros(length: number, revert = false): Hex {
  return concat(['0x63', numberToHex(length, { size: 4 }), '0x6000', revert ? '0xfd' : '0xf3'])
}

/** Code that never ends. */
export const ENDLESS: Hex = '0x5b600056'

/** Code that answers with the gas it was given. */
export const GAS: Hex = '0x5a60005260206000f3'

/** Puts code on a local chain, at a given or a new address. Returns the address. */
export async function placed(
  rpc: (method: string, params: unknown[]) => Promise<unknown>,
  code: Hex,
  address: string = `0x${randomBytes(20).toString('hex')}`,
): Promise<Address> {
  await rpc('anvil_setCode', [address, code])
  return getAddress(address)
}
