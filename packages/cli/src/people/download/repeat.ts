import type { Cap } from '../options.js'
import { shown } from '../output/text.js'

/** Codes of errors that a repetition with the same destination meets again. */
export const ELSEWHERE = new Set(['FILE_EXISTS', 'NAME_TOO_LONG', 'NOT_A_FILE', 'NOT_WRITABLE', 'NO_FOLDER'])

export interface RepeatOptions {
  output?: string
  file?: number
  all?: true
  sync?: true
  archive?: true
  service?: string
  maxPrice?: Cap
  payWith?: string
  account?: number | undefined
  keystore?: string | undefined
}

/** The same command line, for a repetition. */
export function commandOf(did: string, options: RepeatOptions): string {
  const { output, file, all, sync, archive, service, maxPrice, payWith, account, keystore } = options
  const words = [
    ...(output ? ['-o', output] : []),
    ...(file === undefined ? [] : ['--file', `${file}`]),
    ...(all ? ['--all'] : []),
    ...(sync ? ['--sync'] : []),
    ...(archive ? ['--archive'] : []),
    ...(service ? ['--service', service] : []),
    ...(maxPrice ? ['--max-price', [maxPrice.amount, maxPrice.token].filter(Boolean).join(':')] : []),
    ...(payWith ? ['--pay-with', payWith] : []),
    ...(keystore ? ['--keystore', keystore] : []),
    ...(account === undefined ? [] : ['--account', `${account}`]),
  ]
  return [
    'tidegate',
    'get',
    did,
    ...words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${shown(word)}'`)),
  ].join(' ')
}

/** The same command line with a placeholder for another destination. */
export const elsewhereOf = (did: string, options: RepeatOptions) =>
  commandOf(did, { ...options, output: 'ANOTHER-NAME' })
