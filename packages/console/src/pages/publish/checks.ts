import { CONSOLE_LIMITS } from '../../limits.js'
import { termsProblem } from '../../parts/fields/terms-field.js'
import type { Draft, DraftFile } from '../../state/publishing/draft.js'
import { addressesOf } from '../../state/publishing/publication.js'
import type { TermsProblem } from '../../state/publishing/terms-draft.js'
import { publishText } from '../../text/publish.js'

/** Problems of a draft, by field. */
export type Problems = Partial<Record<'files' | 'name' | 'amount' | 'token' | 'days' | 'addresses', string>> & {
  terms?: TermsProblem
}

const ADDRESS = /^0x[0-9a-f]{40}$/i

export const isReadyFile = (file: DraftFile): boolean =>
  file.kind === 'upload' ? file.status === 'done' : file.status === 'good'

/** Checks a step of the draft, without any request. */
export function problemsOf(draft: Draft, step: number): Problems {
  const words = publishText
  const { files, name, price, days, access } = draft
  if (step === 0) {
    if (files.length === 0) return { files: words.noFiles }
    return files.every(isReadyFile) ? {} : { files: words.filesNotReady }
  }
  if (step === 1) return name.trim() ? {} : { name: words.nameMissing }
  if (step !== 2) return {}
  const problems: Problems = {}
  if (price.kind === 'paid') {
    if (!/^\d{1,30}(\.\d{1,18})?$/.test(price.amount.trim()) || /^[0.]*$/.test(price.amount.trim()))
      problems.amount = words.amountBad
    if (price.token && !ADDRESS.test(price.token)) problems.token = words.tokenBad
  }
  if (days !== '' && !(Number(days) > 0 && Number(days) <= CONSOLE_LIMITS.fields.days)) problems.days = words.daysBad
  const addresses = addressesOf(access.list)
  if (access.kind !== 'everybody' && (addresses.length === 0 || !addresses.every((address) => ADDRESS.test(address))))
    problems.addresses = access.kind === 'list' ? words.addressesBad : words.membersBad
  const terms = termsProblem(draft.terms)
  if (terms) problems.terms = terms
  return problems
}

/** Returns the first incomplete step; the last one if all are complete. */
export function firstOpenStep(draft: Draft): number {
  const open = [0, 1, 2].find((step) => Object.keys(problemsOf(draft, step)).length > 0)
  return open ?? 3
}
