import { CATALOG_LIMITS } from '../../limits.js'
import type { Phrase } from '../syntax.js'
import { folded } from './folded.js'

const { word: LONGEST, beginning: BEGINNING, marks: MARKS } = CATALOG_LIMITS.search

/**
 * A DID is one word, so that a search for it does not match other DIDs. So is a time, which the index adds to each document several
 * times: its digits would match most searches for numbers.
 */
const WORDS =
  /did:ope?:[0-9a-f]{64}|\d{4}-\d\d-\d\dt\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:z|[+-]\d\d:\d\d)?|[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu

/** First character of the word of a time, so that no beginning of a number finds it. */
const TIME = '~'

/** Returns the word of a time: without punctuation, which makes tokens long. */
const timeWord = (time: string) => TIME + time.replace(/[-:.]/g, '').replace('+', 'p')

/**
 * Scripts without spaces between words, and Korean, which attaches particles to nouns. Uses Script, since Unicode changes
 * Script_Extensions of existing characters. The last characters are common to several scripts.
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

/** Splits a text into words and runs of unspaced scripts: `iPhone手机` is a word and a run. */
function runsOf(text: string): string[] {
  const words = folded(text).match(WORDS) ?? []
  return words.flatMap((word) => {
    if (word.includes('-')) return timeWord(word)
    if (UNSPACED.test(word)) return (word.match(RUNS) as string[]).map(cut)
    return cut(word)
  })
}

const cut = (run: string) => (run.length <= LONGEST || isUnspaced(run) ? run : [...run].slice(0, LONGEST).join(''))

const lettersOf = (run: string) => run.match(LETTERS) as string[]

/**
 * Returns the words of a text, truncated to their significant characters. A run of an unspaced script becomes overlapping pairs of
 * letters and the last letter, so that any part of it is a phrase.
 */
export function wordsOf(text: string): string[] {
  return runsOf(text).flatMap(wordsIn)
}

function wordsIn(run: string): string[] {
  if (!isUnspaced(run)) return [run]
  const letters = lettersOf(run)
  return letters.map((letter, at) => letter + (letters[at + 1] ?? ''))
}

/** Whether a word is of an unspaced script. */
export function isUnspaced(word: string): boolean {
  return UNSPACED.test(word)
}

/** Returns a text as one phrase; undefined if it has no words. `prefix`: the last word may be a prefix. */
export function phraseOf(text: string, prefix = false): Phrase | undefined {
  const runs = runsOf(text)
  return runs.length === 0 ? undefined : phraseIn(runs, prefix)
}

/** Returns a text as one phrase per word. A run of an unspaced script is a phrase. */
export function phrasesOf(text: string, prefix = false): Phrase[] {
  const runs = runsOf(text)
  return runs.map((run, at) => phraseIn([run], prefix && at === runs.length - 1))
}

function phraseIn(runs: string[], prefix: boolean): Phrase {
  const words = runs.flatMap(wordsIn)
  const last = runs.at(-1) as string
  if (!isUnspaced(last)) return { words, prefix }
  // a single letter is the prefix of a pair of letters
  if (lettersOf(last).length === 1) return { words, prefix: true }
  return { words: words.slice(0, -1), prefix: prefix && HAS_MARKS.test(last) }
}

/** Returns the word of a value that is a single word; undefined for other values. Texts match it too. */
export function asWord(value: string): string | undefined {
  // a cheap check for most texts
  if (/\s/.test(value) || isUnspaced(value)) return undefined
  const [word, ...others] = runsOf(value)
  return others.length === 0 && word !== undefined && !isUnspaced(word) && word === folded(value) ? word : undefined
}

/** Returns the prefixes of a word with their own tokens, which need no scan of words. */
export function beginningsOf(word: string): string[] {
  if (word.startsWith(TIME)) return []
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
