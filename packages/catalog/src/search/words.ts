import { CATALOG_LIMITS } from '../limits.js'
import { folded } from './folded.js'
import type { Phrase } from './syntax.js'

const { word: LONGEST, beginning: BEGINNING, marks: MARKS } = CATALOG_LIMITS.search

/** A DID is one word, so that a search for one does not find all others. */
const WORDS = /did:ope?:[0-9a-f]{64}|[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu

/**
 * Letters of scripts that are written without spaces between words, and Korean, which attaches particles to nouns. By Script,
 * not Script_Extensions, which new versions of Unicode change for existing characters. The last ones are common to several scripts.
 */
const IDEOGRAPHIC =
  '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Bopo}\\p{sc=Hang}\\p{sc=Yiii}\\p{sc=Tang}\\p{sc=Nshu}\\p{sc=Kits}\\u3006\\u303c\\u30fc'
const ALPHABETIC =
  '\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\p{sc=Tale}\\p{sc=Talu}\\p{sc=Lana}\\p{sc=Tavt}\\p{sc=Ahom}\\p{sc=Java}\\p{sc=Bali}'
const UNSPACED = new RegExp(`[${IDEOGRAPHIC}${ALPHABETIC}]`, 'u')
const HAS_MARKS = new RegExp(`[${ALPHABETIC}]`, 'u')
const RUNS = new RegExp(`(?:[${IDEOGRAPHIC}${ALPHABETIC}]\\p{M}*)+|[^${IDEOGRAPHIC}${ALPHABETIC}]+`, 'gu')
/** A letter with its vowel signs and tone marks. */
const LETTERS = new RegExp(`\\P{M}\\p{M}{0,${MARKS}}`, 'gu')

/** Words between spaces and punctuation, and runs of text without spaces: `iPhone手机` is a word and a run. */
function runsOf(text: string): string[] {
  const words = folded(text).match(WORDS) ?? []
  return words.flatMap((word) => {
    if (UNSPACED.test(word)) return (word.match(RUNS) as string[]).map(cut)
    return cut(word)
  })
}

const cut = (run: string) => (run.length <= LONGEST || isUnspaced(run) ? run : [...run].slice(0, LONGEST).join(''))

const lettersOf = (run: string) => run.match(LETTERS) as string[]

/**
 * The words of a text, each truncated to its significant characters. In a run of text without spaces, every letter begins
 * a word of two letters, and the last letter is a word: a part of the run is then a phrase, wherever it begins.
 */
export function wordsOf(text: string): string[] {
  return runsOf(text).flatMap(wordsIn)
}

function wordsIn(run: string): string[] {
  if (!isUnspaced(run)) return [run]
  const letters = lettersOf(run)
  return letters.map((letter, at) => letter + (letters[at + 1] ?? ''))
}

/** Whether a word is part of a text without spaces. */
export function isUnspaced(word: string): boolean {
  return UNSPACED.test(word)
}

/** The consecutive words of a text to search for; undefined if it has none. `prefix`: the last one may go on. */
export function phraseOf(text: string, prefix = false): Phrase | undefined {
  const runs = runsOf(text)
  return runs.length === 0 ? undefined : phraseIn(runs, prefix)
}

/** The words of a text to search for one by one; a run of text without spaces is a phrase. */
export function phrasesOf(text: string, prefix = false): Phrase[] {
  const runs = runsOf(text)
  return runs.map((run, at) => phraseIn([run], prefix && at === runs.length - 1))
}

function phraseIn(runs: string[], prefix: boolean): Phrase {
  const words = runs.flatMap(wordsIn)
  const last = runs.at(-1) as string
  if (!isUnspaced(last)) return { words, prefix }
  // a text may go on behind its part; a single letter begins any word
  if (lettersOf(last).length === 1) return { words, prefix: true }
  return { words: words.slice(0, -1), prefix: prefix && HAS_MARKS.test(last) }
}

/** The word that a value consists of, if it is a single one: such a value is found within texts as well. */
export function asWord(value: string): string | undefined {
  // most texts are none, and to find their words takes longer
  if (/\s/.test(value) || isUnspaced(value)) return undefined
  const [word, ...others] = runsOf(value)
  return others.length === 0 && word !== undefined && !isUnspaced(word) && word === folded(value) ? word : undefined
}

/** Prefixes of a word that have their own tokens, so that they are found without a scan of all words. */
export function beginningsOf(word: string): string[] {
  const characters = isUnspaced(word)
    ? [...(lettersOf(word)[0] as string)]
    : [...word.slice(0, 2 * BEGINNING)].slice(0, BEGINNING)
  return characters.map((_, at) => characters.slice(0, at + 1).join(''))
}

/** Whether a prefix has its own token. */
export function isShortBeginning(word: string): boolean {
  if (isUnspaced(word)) return lettersOf(word).length === 1
  return word.length <= 2 * BEGINNING && [...word].length <= BEGINNING
}
