import { readTextFile } from '@tidegate/common'
import { note } from '@tidegate/common/terminal'
import { CommandError, misuse } from '@tidegate/provider/commands/failures'
import type { PrivateKeyAccount } from 'viem'
import { CLI_LIMITS } from '../limits.js'
import { askPassword, isInteractive } from './output/prompts.js'
import { shown } from './output/text.js'

export interface WalletOptions {
  keystore?: string | undefined
  account?: number | undefined
}

/** Attempts to type a password. */
const TRIES = 3

/** Whether options or environment name an account. */
export const namesAccount = ({ keystore, account }: WalletOptions) =>
  keystore !== undefined || account !== undefined || Boolean(process.env.TIDEGATE_PRIVATE_KEY)

/**
 * Opens the account that signs and pays: from the options, otherwise from the environment. `chainIdOf` returns the node's
 * chain. Throws CommandError, which quotes neither key nor password.
 */
export async function openAccount(
  { keystore, account }: WalletOptions,
  chainIdOf: () => Promise<number>,
): Promise<PrivateKeyAccount> {
  if (keystore !== undefined && account !== undefined)
    throw misuse('--keystore and --account both name an account: use only one of them.')
  if (keystore !== undefined) return fromKeystore(keystore)
  if (account !== undefined) return localAccount(account, await chainIdOf())
  const key = process.env.TIDEGATE_PRIVATE_KEY
  if (key) return fromKey(key.trim())
  throw misuse('no account is named: use --keystore FILE, TIDEGATE_PRIVATE_KEY, or on a local network --account N.')
}

async function fromKey(text: string): Promise<PrivateKeyAccount> {
  const { privateKeyToAccount } = await import('viem/accounts')
  try {
    if (/^(0x)?[0-9a-fA-F]{64}$/.test(text)) return privateKeyToAccount(`0x${text.replace(/^0x/, '')}`)
  } catch {
    // zero, or beyond the order of the curve; the library's message would quote it
  }
  throw misuse('TIDEGATE_PRIVATE_KEY: must be a private key of 64 hexadecimal digits.')
}

/** Returns an account of the local network. Its keys are public. */
async function localAccount(index: number, chainId: number): Promise<PrivateKeyAccount> {
  const { DEV_CHAIN_ID, devAccounts } = await import('@tidegate/dev-network/anvil')
  if (chainId !== DEV_CHAIN_ID)
    throw misuse(`--account: works only on local networks (chain ${DEV_CHAIN_ID}); this is chain ${chainId}.`)
  const found = devAccounts()[index]
  if (!found) throw misuse(`--account: a local network has the accounts 0 to ${devAccounts().length - 1}.`)
  return fromKey(found.privateKey)
}

async function fromKeystore(path: string): Promise<PrivateKeyAccount> {
  const { openKeystore } = await import('@tidegate/client/node')
  const text = readText('--keystore', path)
  const file = process.env.TIDEGATE_PASSWORD_FILE
  if (file) return opened(openKeystore(text, readText('TIDEGATE_PASSWORD_FILE', file).replace(/\r?\n$/, '')), path)
  if (!isInteractive())
    throw misuse('there is no terminal to ask for the password of the keystore: name a file in TIDEGATE_PASSWORD_FILE.')
  for (let tries = 1; ; tries += 1) {
    const password = await askPassword(`Password of ${shown(path)}`)
    const attempt = opened(openKeystore(text, password), path)
    const failure = await attempt.then(
      () => undefined,
      (error: CommandError) => error,
    )
    if (!failure) return attempt
    if (failure.code !== 'WRONG_PASSWORD' || tries === TRIES) throw failure
    note('The password is wrong.')
  }
}

async function opened(opening: Promise<PrivateKeyAccount>, path: string): Promise<PrivateKeyAccount> {
  try {
    return await opening
  } catch (error) {
    const { code = 'KEYSTORE', message } = error as NodeJS.ErrnoException
    throw new CommandError(code, `${shown(path)}: ${message}`, 2)
  }
}

function readText(name: string, path: string): string {
  let text: string
  try {
    text = readTextFile(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw misuse(`${name}: ${shown(path)} ${code === 'ENOENT' ? 'does not exist' : `cannot be read: ${code}`}.`)
  }
  if (text.length > CLI_LIMITS.files.secret) throw misuse(`${name}: ${shown(path)} is too long.`)
  return text
}
