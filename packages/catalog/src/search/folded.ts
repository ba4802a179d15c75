const ASCII = /^[ -~\n]*$/

/** Accents and vowel points that writers omit. Those of other scripts (Indic, Thai, kana) distinguish words. */
const OPTIONAL_MARKS =
  /(?![\u3099\u309a])(?=\p{M})[\p{sc=Zinh}\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}]/u
/** Characters that nobody sees, such as soft hyphens and joiners, and the stroke that stretches Arabic words. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u0640]/u
const REMOVED = new RegExp(`${INVISIBLE.source}|${OPTIONAL_MARKS.source}`, 'gu')

/** Letters that Unicode does not decompose, without their strokes and ligatures, and the final form of sigma. */
const LETTERS: Record<string, string> = {
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ł: 'l',
  ŧ: 't',
  ς: 'σ',
}
const REPLACED = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu')

/** Normalizes text for comparison, ignoring case, accents and width. Folding it again changes nothing. */
export function folded(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  return (
    decomposed(decomposed(text).toLowerCase())
      // the only case mapping of JavaScript that expands ß
      .toUpperCase()
      .toLowerCase()
      .replace(REPLACED, (letter) => LETTERS[letter] as string)
      .normalize('NFC')
  )
}

const decomposed = (text: string) => text.normalize('NFKD').replace(REMOVED, '')
