import { plural } from '../format/plural.js'

/** Terms of an asset: for its buyer and for its publisher. */
export const termsText = {
  title: 'Terms',
  read: 'Read the terms',
  open: 'Open the terms',
  accept: 'I accept the terms',
  acceptFirst: 'Accept the terms to buy.',
  elsewhere: (host: string) => `They are on ${host}. Compare their SHA-256 if you need a proof.`,
  sha256: 'SHA-256',
  changed: 'The terms have changed meanwhile. Read them again, and accept them if you agree. Nothing was paid.',
  different:
    'The text at the address of the terms is not the one that the publisher described. Do not accept it: ask the publisher.',
  cut: 'Only the beginning is shown here. Open the file to read all of it.',
  unreadable: 'The page cannot show this kind of file.',
  documents: 'Licence documents',
  accepted: 'Accepted terms',
  outdated: 'The asset has other terms now.',
  kinds: { none: 'None', file: 'A file', url: 'A URL' },
  hint: 'Each buyer must accept them before paying. The order on the chain proves it.',
  choose: 'Choose a file',
  replace: 'Replace',
  url: 'URL of the terms',
  urlHint: 'On another server, the page cannot read them. Enter their SHA-256 as well.',
  urlBad: 'Enter a URL that begins with https:// or http://.',
  sha256Hint: '64 hexadecimal digits, as of the command “sha256sum”.',
  sha256Bad: 'A SHA-256 has 64 hexadecimal digits.',
  fileMissing: 'Choose the file of the terms, or choose “None”.',
  connect: 'Connect a wallet to upload a file.',
  uploading: 'Uploading…',
} as const

/** Samples of an asset: for its buyer and for its publisher. */
export const samplesText = {
  title: 'Look inside',
  links: 'Links',
  others: 'On other servers',
  table: (name: string) => `Table of ${name}`,
  firstPage: (pages: number) =>
    pages === 1 ? 'The only page.' : `The first of ${plural(pages, { one: 'page', other: 'pages' })}.`,
  columnFacts: ['Column', 'Type', 'Least', 'Most', 'Empty'],
  size: (rows: number, columns: number) =>
    `${plural(rows, { one: 'row', other: 'rows' })}, ${plural(columns, { one: 'column', other: 'columns' })}. The statistics are those of the file.`,
  column: (at: number) => `Column ${at}`,
  moreRows: (shown: number) =>
    shown === 0 ? 'The beginning of the file.' : `The first ${plural(shown, { one: 'row', other: 'rows' })}.`,
  moreColumns: (shown: number, all: number) => `The first ${shown} of ${all.toLocaleString('en')} columns.`,
  cut: 'The beginning of the file.',
  tooLarge: 'The picture is too large to be shown.',
  unknown: 'The page cannot show this kind of file.',
  open: 'Download the sample',
  label: 'Samples',
  hint: (most: number, size: string) =>
    `Everybody can see them, without an order. Up to ${most} files of ${size} each.`,
  add: 'Add a sample',
  tooMany: (most: number) => `An asset has at most ${most} samples.`,
} as const
