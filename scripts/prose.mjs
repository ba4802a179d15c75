// Finds phrases that need reading twice, in pages, in comments and in titles of tests; and more words of documentation than
// a reader can be asked to read.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** Each phrase with its plain replacement. */
const PHRASES = [
  [/\b(undefined|null|empty|throws?|rejects?|refused) where\b/i, '"if"'],
  [/\bwhere (there (is|are)|that is|it is not|none|nothing|nobody|no)\b/i, '"if"'],
  [/\b(whoever|who wants|that which|what tells|what is no|what there is|what lies)\b/i, 'a noun'],
  [/\b(no longer|not any more|any more\b|as it was|in place of)/i, 'the present, without history'],
  [/\b(as ever|for good|by chance|one after the other|by itself alone|takes? the place of)\b/i, 'the precise word'],
  [
    /\b(lies in|lie in|it lies|they lie|is told|are told|tells (what|which|whether|how))\b/i,
    '"is in", "returns", "shows"',
  ],
  [/\b(somebody else's|anybody else's)\b/i, '"another account\'s"'],
]
const GENERATED = /<!-- Generated/
const PAGE = /^(docs\/.*|[^/]+|packages\/[^/]+\/README)\.md$/
const CODE =
  /^(packages\/[^/]+\/(src|test)|test|bench|stress|demo|scripts|deploy)\/.*\.(tsx?|mjs|sh|sql|yaml|conf|service)$/
/** Pages that count: without decisions, the changelog, generated pages, and blocks of code. */
const COUNTED = /^(docs\/(?!decisions\/).*|CONTRIBUTING|(packages\/[^/]+\/)?README)\.md$/
const MAX_WORDS = 37_000
/** The longest pages that are named if there are too many words. */
const LISTED = 5
const COMMENT = /^\s*(\/\/|\/?\*|#|--)/
/** The title of a test, also after the cases of `it.each`. */
const TITLE = /(?:(?<![.\w])(?:it|test|describe)(?:\.\w+)*(?:\(.*\))?|^\s*\].*\))\(\s*(['"`])((?:\\.|(?!\1).)+)\1/gm
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => existsSync(file) && (PAGE.test(file) || CODE.test(file)))
const problems = []
/** Words of each page that counts. */
const wordsOf = new Map()

for (const file of files) {
  const text = readFileSync(file, 'utf8')
  if (GENERATED.test(text.slice(0, 400))) continue
  if (file.endsWith('.md')) checkPage(file, text)
  else checkCode(file, text)
}
const words = [...wordsOf.values()].reduce((sum, count) => sum + count, 0)
if (words > MAX_WORDS) {
  const longest = [...wordsOf].sort(([, one], [, other]) => other - one).slice(0, LISTED)
  const named = longest.map(([file, count]) => `${file} (${count})`).join(', ')
  problems.push(`the pages written by hand have ${words} words: cut to ${MAX_WORDS}. The longest: ${named}`)
}
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
}

function checkPage(file, text) {
  let isCode = false
  let last = ''
  for (const [at, line] of text.split('\n').entries()) {
    if (line.startsWith('```')) isCode = !isCode
    const prose = isCode ? '' : line
    if (COUNTED.test(file)) wordsOf.set(file, (wordsOf.get(file) ?? 0) + countWords(prose))
    checkPhrases(file, at, prose.replace(/`[^`]*`/g, ''))
    if (/^[\p{L}`*["(]/u.test(prose) && /^([\p{L}`*["(]|- |\d+\. )/u.test(last))
      problems.push(`${file}:${at + 1}: one paragraph is one line`)
    last = prose
  }
}

function countWords(prose) {
  return prose.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

function checkCode(file, text) {
  for (const [at, line] of text.split('\n').entries())
    if (COMMENT.test(line)) checkPhrases(file, at, line.replace(/`[^`]*`/g, ''))
  for (const { index, 0: call, 2: title } of text.matchAll(TITLE))
    checkPhrases(file, text.slice(0, index + call.length).split('\n').length - 1, title)
}

function checkPhrases(file, at, prose) {
  for (const [phrase, better] of PHRASES) {
    const found = phrase.exec(prose)
    if (found) problems.push(`${file}:${at + 1}: "${found[0]}": write ${better}`)
  }
}
