import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Address, createWalletClient, type Hex, http, type TransactionReceipt } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { rpcClient } from '../../packages/chain/src/rpc/clients.js'
import { devAccounts } from '../../packages/dev-network/src/anvil.js'
import type { ContractArtifact } from '../../packages/dev-network/src/contracts.js'
import { eventually } from './eventually.js'
import { prepared } from './prepared.js'

const require = createRequire(import.meta.url)

const FOLDER = new URL('../contracts/', import.meta.url)

type Compiled = Record<string, { abi: ContractArtifact['abi']; evm: { bytecode: { object: string } } }>

/** A contract of test/contracts, named like its file. Compiled once per test run, since that takes a second. */
export function compiled(name: string): ContractArtifact {
  const folder = prepared('contracts')
  if (folder === undefined) return compile(name)
  const file = join(folder, `${name}.json`)
  if (!existsSync(file)) {
    // an atomic rename, so that no other test file reads a partial file
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(compile(name)))
    renameSync(`${file}.${process.pid}`, file)
  }
  return JSON.parse(readFileSync(file, 'utf8')) as ContractArtifact
}

/** Compiles a contract of a folder, named like its file. */
export function compile(name: string, folder = FOLDER): ContractArtifact {
  const solc = require('solc') as { compile(input: string, callbacks: { import: typeof imported }): string }
  const file = `${name}.sol`
  const imported = (path: string) => ({ contents: readFileSync(new URL(path, folder), 'utf8') })
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: imported(file).contents } },
    settings: {
      evmVersion: 'paris',
      // a comment changes nothing that is deployed
      metadata: { appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const { contracts, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input), { import: imported })) as {
    contracts: Record<string, Compiled>
    errors?: { severity: string; formattedMessage: string }[]
  }
  const wrong = errors.filter(({ severity }) => severity === 'error')
  if (wrong.length > 0) throw new Error(wrong.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const contract = contracts[file]?.[name] as Compiled[string]
  return { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` }
}

/** Deploys a contract of test/contracts from an account of the local network. Returns its address. */
export async function deployed(rpcUrl: string, name: string, args: unknown[] = [], addressIndex = 4): Promise<Address> {
  const { abi, bytecode } = compiled(name)
  const account = privateKeyToAccount(devAccounts()[addressIndex]?.privateKey as Hex)
  const wallet = createWalletClient({ account, transport: http(rpcUrl, { timeout: 240_000 }) })
  const hash = await wallet.deployContract({ abi, bytecode, args, chain: null })
  return (await minedReceipt(rpcUrl, hash)).contractAddress as Address
}

/**
 * The receipt of a transaction that succeeded. Polls for the receipt itself: viem's own wait depends on new blocks, and
 * where each transaction mines one, none may follow.
 */
export async function minedReceipt(rpcUrl: string, hash: Hex): Promise<TransactionReceipt> {
  const reader = rpcClient(new URL(rpcUrl))
  let receipt: TransactionReceipt | undefined
  await eventually(async () => {
    receipt = await reader.getTransactionReceipt({ hash }).catch(() => undefined)
    return receipt
  }, 120_000)
  if (receipt?.status !== 'success') throw new Error(`The transaction ${hash} was reverted.`)
  return receipt
}
