// Finds phrases that need reading twice: in the pages of docs/ and the root (`npm run lint`), with `--all` also in comments
// and in READMEs of packages.
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
const withAll = process.argv.includes('--all')
const PAGE = /^(docs\/.*|[^/]+)\.md$/
const OTHER = /^packages\/[^/]+\/README\.md$|^(packages\/[^/]+\/src|scripts|deploy)\/.*\.(tsx?|mjs|yaml|conf|service)$/
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => existsSync(file) && (PAGE.test(file) || (withAll && OTHER.test(file))))
const problems = []

for (const file of files) {
  const text = readFileSync(file, 'utf8')
  if (GENERATED.test(text.slice(0, 400))) continue
  const isPage = file.endsWith('.md')
  let isCode = false
  let last = ''
  for (const [at, line] of text.split('\n').entries()) {
    if (isPage && line.startsWith('```')) isCode = !isCode
    const isProse = isPage ? !isCode : /^\s*(\/\/|\/?\*|#)/.test(line)
    if (!isProse) {
      last = ''
      continue
    }
    for (const [phrase, better] of PHRASES) {
      const found = phrase.exec(line.replace(/`[^`]*`/g, ''))
      if (found) problems.push(`${file}:${at + 1}: "${found[0]}": write ${better}`)
    }
    const isText = /^[\p{L}`*["(]/u.test(line)
    if (isPage && isText && /^([\p{L}`*["(]|- |\d+\. )/u.test(last))
      problems.push(`${file}:${at + 1}: one paragraph is one line`)
    last = line
  }
}
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
}
