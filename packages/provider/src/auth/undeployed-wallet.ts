import {
  type Address,
  concatHex,
  encodeFunctionData,
  type Hex,
  isErc6492Signature,
  numberToHex,
  parseAbi,
  parseErc6492Signature,
  size,
} from 'viem'

const EIP_1271 = parseAbi(['function isValidSignature(bytes32 digest, bytes signature) view returns (bytes4)'])

/** The EIP-1271 magic value of a valid signature: four bytes, padded. */
export const MAGIC: Hex = `0x1626ba7e${'0'.repeat(56)}`
export const MAGIC_BYTES = 32

/**
 * Sender of the calls. Not the default of nodes: some wallets skip their checks if the origin is the zero address, which
 * they take for an estimate of gas.
 */
const ORIGIN: Address = `0x${'6492'.repeat(10)}`

/** A call that returns MAGIC if a wallet accepts a signature. Without `to` its data are init code. */
export type AcceptanceCall = { from: Address; to?: Address; data: Hex }

/** Returns the call that asks a wallet whether a signature is valid for a digest. */
export type AcceptanceCallOf = (digest: Hex) => AcceptanceCall

/**
 * Returns the calls that verify a signature of a contract wallet: `isValidSignature` of EIP-1271. If the signature ends
 * with the suffix of ERC-6492, the call also makes the wrapped call of a factory, which deploys or prepares the wallet.
 * Undefined if the signature has that suffix but not the form.
 */
export function acceptanceCalls(wallet: Address, signature: Hex): AcceptanceCallOf | undefined {
  const question = (digest: Hex, signed: Hex) => encodeFunctionData({ abi: EIP_1271, args: [digest, signed] })
  if (!isErc6492Signature(signature))
    return (digest) => ({ from: ORIGIN, to: wallet, data: question(digest, signature) })
  try {
    const { address: factory, data: preparation = '0x', signature: signed } = parseErc6492Signature(signature)
    if (factory === undefined) return undefined
    return (digest) => ({ from: ORIGIN, data: initCode(wallet, question(digest, signed), factory, preparation) })
  } catch {
    return undefined
  }
}

/** Opcodes of the EVM. */
const EVM = {
  EQ: '0x14',
  AND: '0x16',
  CODECOPY: '0x39',
  RETURNDATASIZE: '0x3d',
  POP: '0x50',
  MLOAD: '0x51',
  JUMPI: '0x57',
  GAS: '0x5a',
  JUMPDEST: '0x5b',
  PUSH2: '0x61',
  PUSH20: '0x73',
  PUSH32: '0x7f',
  CALL: '0xf1',
  RETURN: '0xf3',
  STATICCALL: '0xfa',
} as const

/**
 * Init code that asks the wallet, then calls the factory, then asks again, and ends at the first acceptance: the order of
 * ERC-6492, in which a deployed wallet has the first word. Creates nothing: it returns MAGIC, or nothing.
 */
function initCode(wallet: Address, question: Hex, factory: Address, preparation: Hex): Hex {
  const answer = number(size(question) + size(preparation))
  const ask = (end: number) => [
    // STATICCALL(gas, wallet, question, answer)
    ...[number(MAGIC_BYTES), answer, number(size(question)), number(0), EVM.PUSH20, wallet, EVM.GAS, EVM.STATICCALL],
    // it succeeded, with 32 bytes that are MAGIC
    ...[EVM.RETURNDATASIZE, number(MAGIC_BYTES), EVM.EQ, EVM.AND],
    ...[answer, EVM.MLOAD, EVM.PUSH32, MAGIC, EVM.EQ, EVM.AND],
    ...[number(end), EVM.JUMPI],
  ]
  const body = (start: number, end: number): Hex =>
    concatHex([
      ...[answer, number(start), number(0), EVM.CODECOPY],
      ...ask(end),
      // CALL(gas, factory, no value, preparation); a factory that fails does not change the wallet
      ...[number(0), number(0), number(size(preparation)), number(size(question)), number(0)],
      ...[EVM.PUSH20, factory, EVM.GAS, EVM.CALL, EVM.POP],
      ...ask(end),
      ...[number(0), number(0), EVM.RETURN],
    ])
  const accepted = concatHex([EVM.JUMPDEST, number(MAGIC_BYTES), answer, EVM.RETURN])
  const end = size(body(0, 0))
  return concatHex([body(end + size(accepted), end), accepted, question, preparation])
}

/** Pushes a number of at most two bytes: a signature is shorter than 64 KiB. */
function number(value: number): Hex {
  return concatHex([EVM.PUSH2, numberToHex(value, { size: 2 })])
}
