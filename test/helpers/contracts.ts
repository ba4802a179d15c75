import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Address, createWalletClient, type Hex, http } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { rpcClient } from '../../src/chain/clients.js'
import { DEV_MNEMONIC } from '../../src/dev/anvil.js'
import type { ContractArtifact } from '../../src/dev/contracts.js'

const require = createRequire(import.meta.url)

/** Compiles a contract of test/contracts, which is named as its file is. */
export function compiled(name: string): ContractArtifact {
  const solc = require('solc') as { compile(input: string): string }
  const file = `${name}.sol`
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: readFileSync(new URL(`../contracts/${file}`, import.meta.url), 'utf8') } },
    settings: { evmVersion: 'paris', outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  }
  const { contracts, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input))) as {
    contracts: Record<string, Record<string, { abi: ContractArtifact['abi']; evm: { bytecode: { object: string } } }>>
    errors?: { severity: string; formattedMessage: string }[]
  }
  const wrong = errors.filter(({ severity }) => severity === 'error')
  if (wrong.length > 0) throw new Error(wrong.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const contract = contracts[file]?.[name] as NonNullable<(typeof contracts)[string][string]>
  return { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` }
}

/** Deploys a contract of test/contracts from an account of the local network. Answers its address. */
export async function deployed(rpcUrl: string, name: string, args: unknown[] = [], addressIndex = 4): Promise<Address> {
  const { abi, bytecode } = compiled(name)
  const account = mnemonicToAccount(DEV_MNEMONIC, { addressIndex })
  const wallet = createWalletClient({ account, transport: http(rpcUrl) })
  const hash = await wallet.deployContract({ abi, bytecode, args, chain: null })
  return (await minedReceipt(rpcUrl, hash)).contractAddress as Address
}

/** The receipt of a transaction that succeeded. */
export async function minedReceipt(rpcUrl: string, hash: Hex) {
  const reader = rpcClient(new URL(rpcUrl))
  const receipt = await reader.waitForTransactionReceipt({ hash, pollingInterval: 20, timeout: 30_000 })
  if (receipt.status !== 'success') throw new Error(`The transaction ${hash} failed.`)
  return receipt
}
