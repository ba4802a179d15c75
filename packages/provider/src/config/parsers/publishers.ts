import { isAddressText, SELLER_LIMITS } from '@tidegate/protocol'
import type { Address } from 'viem'
import { parseObject } from './basic.js'
import { address } from './chains.js'

/**
 * Parses the names of verified publishers by account: comma-separated 0xADDRESS=Name, or a JSON object. An error names the
 * account of the entry, or its number if there is none.
 */
export function verifiedPublishers(raw: string): Map<Address, string> {
  const entries = raw.trimStart().startsWith('{') ? Object.entries(parseObject(raw)) : raw.split(',').map(pair)
  if (entries.length > SELLER_LIMITS.verified.publishers)
    throw new Error(`must have at most ${SELLER_LIMITS.verified.publishers} entries`)
  const names = new Map<Address, string>()
  for (const [at, [account = '', name]] of entries.entries()) {
    if (!isAddressText(account))
      throw new Error(`entry ${at + 1} must be an address (0x and 40 hex digits) with a name`)
    const own = address(account)
    if (names.has(own)) throw new Error(`has ${own} twice`)
    if (!isName(name))
      throw new Error(
        `the name of ${own} must be one line of at most ${SELLER_LIMITS.verified.name} characters, with a letter or digit, without < and >`,
      )
    names.set(own, name)
  }
  return names
}

function pair(entry: string): string[] {
  const at = entry.indexOf('=')
  return at < 0 ? [entry] : [entry.slice(0, at).trim(), entry.slice(at + 1).trim()]
}

/** Whether a value is a name that is shown in pages and on terminals as it is. */
function isName(name: unknown): name is string {
  if (typeof name !== 'string' || name.trim() !== name || Array.from(name).length > SELLER_LIMITS.verified.name)
    return false
  return /[\p{L}\p{N}]/u.test(name) && !/[\p{C}\p{Zl}\p{Zp}<>]|\p{M}{5}/u.test(name)
}
