import { ASSET_LIMITS, fileOf, sha256In, webLink } from '@tidegate/protocol/asset'
import { fieldsOf, lineOf, listOf, printable } from '@tidegate/protocol/values'
import { type Address, isAddress, parseUnits } from 'viem'
import type { Contracts } from '../chain/contracts.js'
import { tokenAt } from '../chain/erc20.js'
import type { Moment } from '../chain/moment.js'
import { view } from '../chain/reads.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'
import { checkedAddress } from '../lists/access-list.js'
import type { TermsDocument } from '../terms/types.js'
import type { Asking, AssetFile, FileObject, PublishRequest } from '../types.js'
import { assertFileNames } from './file-names.js'

/** The price of one order in the exchange's form. */
export type Rate =
  | 'free'
  | { token: Address; decimals: number /** With 18 decimals, whatever the token has. */; rate: bigint }

/** Throws TidegateError `BAD_REQUEST` with the field, `BAD_NAME`, `TOO_MANY_FILES`, for errors that need no request. */
export function assertRequest(request: Partial<PublishRequest>): void {
  const { files, name, tags = [], access, accessLists, timeout = 0, terms, samples = [], notes = '' } = request
  if (files !== undefined && files.length === 0) throw bad('files', 'must hold at least one file')
  if (files) assertFileNames(files.map((file) => file.name))
  if (name !== undefined && name.trim() === '') throw bad('name', 'must not be empty')
  if (tags.some((tag) => tag.trim() === '')) throw bad('tags', 'must not contain an empty tag')
  if (access && !access.every((address) => isAddress(address, { strict: false })))
    throw bad('access', 'must contain only addresses')
  // an empty list would restrict nobody
  if (access?.length === 0) throw bad('access', 'must contain at least one address; without it everybody may buy')
  if (accessLists?.length === 0) throw bad('accessLists', 'must contain at least one list')
  for (const list of accessLists ?? []) checkedAddress('accessLists', list)
  if (terms && !isTerms(terms)) throw bad('terms', 'must have an http(s) url, a sha256 and a name')
  if (samples.length > LIMITS.samples) throw bad('samples', `must contain at most ${LIMITS.samples} URLs`)
  if (!samples.every(isUrl)) throw bad('samples', 'must contain only http(s) URLs')
  if (notes.length > ASSET_LIMITS.notes) throw bad('notes', `must have at most ${ASSET_LIMITS.notes} characters`)
  if (!Number.isSafeInteger(timeout) || timeout < 0) throw bad('timeout', 'must be whole seconds; 0 is unlimited')
}

/** Whether a text is a URL that a document may hold. */
const isUrl = (url: unknown) => webLink('', url) !== undefined

const isTerms = ({ url, sha256, name }: TermsDocument) =>
  isUrl(url) && sha256In(sha256) === sha256 && lineOf(name) !== ''

export function bad(field: string, why: string): TidegateError {
  return new TidegateError('BAD_REQUEST', `${field} ${why}.`)
}

/**
 * Lets the provider check each file, and describes it. Throws TidegateError `FILE_UNAVAILABLE` with the number of the first
 * unavailable one.
 */
export async function assertFiles(context: Context, files: readonly FileObject[]): Promise<AssetFile[]> {
  const described: AssetFile[] = []
  for (const [at, file] of files.entries()) {
    const [info] = listOf(await context.api.post('/api/services/fileinfo', file), 1)
    const told = fileOf(info, at)
    const { name = told.name } = file
    described.push({ ...told, ...(typeof name === 'string' ? { name } : {}) })
    if (told.available) continue
    const { reason } = fieldsOf(info)
    const why = typeof reason === 'string' ? `: ${printable(reason.replaceAll('_', ' '), 40)}` : ''
    throw new TidegateError(
      'FILE_UNAVAILABLE',
      `The provider cannot get file ${at + 1} of ${files.length} (${printable(file.type, 20)})${why}.`,
    )
  }
  return described
}

/**
 * Returns the price of an order in the exchange's form. Throws TidegateError `BAD_REQUEST` for an amount that the token
 * cannot express.
 */
export async function rateOf(moment: Moment, { ocean }: Contracts, price: Asking): Promise<Rate> {
  if (price === 'free') return 'free'
  const token = price.token ?? ocean
  if (!token) throw bad('price', 'must name a token: the provider lists no OCEAN token')
  if (!isAddress(token, { strict: false })) throw bad('price', 'must name its token by address')
  if (!/^\d{1,30}(\.\d+)?$/.test(price.amount)) throw bad('price', 'must be a decimal amount such as 5 or 2.5')
  if ((await view(moment, token, 'decimals', [])) === undefined)
    throw bad('price', `names a token whose decimals cannot be read: ${token}`)
  const { decimals, symbol } = await tokenAt(moment, token)
  const fraction = price.amount.split('.')[1]?.replace(/0+$/, '') ?? ''
  const most = Math.min(decimals, 18)
  if (fraction.length > most) throw bad('price', `has more than the ${most} decimals that ${symbol} can be paid in`)
  const rate = parseUnits(price.amount, 18)
  if (rate === 0n) throw bad('price', "must be positive; use 'free' for no price")
  return { token, decimals, rate }
}
