import type { Asset, TermsText } from '@tidegate/client'
import { CommandError } from '@tidegate/provider/commands/failures'
import { confirm, type Question } from './confirm.js'
import type { PurchaseOptions } from './purchases.js'

/**
 * Asks the user about a purchase and the terms of the asset, unless --yes and --accept-terms answer. Returns the SHA-256 of the accepted terms,
 * after it has compared them with those that the publisher described; undefined without terms. Throws CommandError `NOT_CONFIRMED`,
 * `TERMS_NOT_ACCEPTED`, and TidegateError.
 */
export async function agreedTerms(
  options: PurchaseOptions,
  question: Omit<Question, 'terms'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { client, server, yes } = options
  const { asset } = question
  // the provider's own documents are shown; others are requested after the user's consent alone
  const shown = yes || !asset.terms?.isHere ? undefined : await client.terms(asset.did, { signal })
  if (!yes) await confirm(server, client.context, { ...question, terms: shown ?? asset.terms }, signal)
  const terms = shown ?? (await acceptedTerms(options, asset, signal))
  return terms?.sha256
}

/** Returns the terms that a purchase accepts; undefined without terms. Throws CommandError `TERMS_NOT_ACCEPTED`. */
async function acceptedTerms(
  { client, yes, acceptTerms }: PurchaseOptions,
  { did, terms }: Asset,
  signal: AbortSignal,
): Promise<TermsText | undefined> {
  if (!terms) return undefined
  if (yes && !acceptTerms)
    throw new CommandError(
      'TERMS_NOT_ACCEPTED',
      'Not bought: the asset has terms. Only the user can start `tidegate mcp` without --yes, or with --accept-terms.',
    )
  return client.terms(did, { signal })
}
