const ASCII = /^[ -~\n]*$/

/** Accents and vowel points that writers omit. Those of other scripts (Indic, Thai, kana) distinguish words. */
const OPTIONAL_MARKS =
  /(?![\u3099\u309a])(?=\p{M})[\p{sc=Zinh}\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}]/u
/** Invisible characters, such as soft hyphens and joiners, and the stroke that stretches Arabic words. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u0640]/u
const REMOVED = new RegExp(`${INVISIBLE.source}|${OPTIONAL_MARKS.source}`, 'gu')

/** Replacements of letters that Unicode does not decompose, and of the final sigma. */
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

/** Normalizes text for comparison without case, accents and width. Idempotent. */
export function folded(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  return (
    decomposed(decomposed(text).toLowerCase())
      // upper case expands ß
      .toUpperCase()
      .toLowerCase()
      .replace(REPLACED, (letter) => LETTERS[letter] as string)
      .normalize('NFC')
  )
}

const decomposed = (text: string) => text.normalize('NFKD').replace(REMOVED, '')
