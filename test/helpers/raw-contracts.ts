import { randomBytes } from 'node:crypto'
import { type Address, concat, getAddress, type Hex, numberToHex, size, toFunctionSelector } from 'viem'

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

/** Code of a datatoken that says it is of template 4 and has no lists, and runs the code at `target` for one selector. */
export function behind(selector: Hex, target: Address): Hex {
  const select = concat(['0x60003560e01c63', selector, '0x14602657'])
  // 4 for getId, 0 for all else
  const answer = concat(['0x60003560e01c63', toFunctionSelector('getId()'), '0x1460021b60005260206000f3'])
  // DELEGATECALL with all gas, then its data as a result or as a revert
  const run = concat(['0x5b600060006000600073', target, '0x5af43d600060003e6053573d6000fd5b3d6000f3'])
  return concat([select, answer, run])
}

/** Puts code on a local chain, at a given or a new address. Returns the address. */
export async function placed(
  rpc: (method: string, params: unknown[]) => Promise<unknown>,
  code: Hex,
  address: string = `0x${randomBytes(20).toString('hex')}`,
): Promise<Address> {
  await rpc('anvil_setCode', [address, code])
  return getAddress(address)
}
