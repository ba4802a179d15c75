import type { Asset } from '@tidegate/client'
import { CommandError, EXIT } from '@tidegate/provider/commands/failures'
import { confirm, isInteractive } from './output/prompts.js'
import { shown } from './output/text.js'
import type { WalletSession } from './session.js'

interface Acceptance {
  asset: Asset
  /** Whether --accept-terms answers. */
  accept: true | undefined
  /** The command line that repeats the purchase. */
  again: string
}

/**
 * Shows the terms and asks. Then checks that they are those that the publisher described: nothing is requested from a host
 * of his choice before the buyer has agreed. Returns the SHA-256 of the accepted terms; undefined if the asset has none.
 * Throws CommandError `TERMS_NOT_ACCEPTED`, TidegateError.
 */
export async function accepted(
  { client, out, signal }: WalletSession,
  { asset, accept, again }: Acceptance,
): Promise<string | undefined> {
  if (!asset.terms) return undefined
  const { name, url, sha256 } = asset.terms
  const title = shown(name, 100)
  out.note(`  ${'Terms'.padEnd(12)} ${title}`, `  ${''.padEnd(12)} ${url}`, `  ${'SHA-256'.padEnd(12)} ${sha256}`)
  const refused = (text: string) => new CommandError('TERMS_NOT_ACCEPTED', text, EXIT.notConfirmed)
  if (!accept && !isInteractive())
    throw refused(
      `not bought: the terms are not accepted. Read ${url} (SHA-256 ${sha256}). To accept them, run: ${again} --accept-terms --yes`,
    )
  if (!accept && !(await confirm(`Do you accept the terms "${title}"?`)))
    throw refused('not bought: the terms are not accepted.')
  return (await client.terms(asset.did, { signal })).sha256
}
