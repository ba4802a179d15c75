import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type CodeBlock, pages } from './helpers/pages.js'

type Block = CodeBlock & { path: string }
/** What is wrong with a block, beside what the tests say that run it or compare it with an output. */
type Problem = string | undefined

/** The languages of blocks, each with its check: a block in any other one would be run by nothing. */
const CHECKED: Record<string, (block: Block) => Problem> = {
  // test/docs.test.ts, and docs-commands, docs-sessions and deploy/commands of `npm run test:tools`
  sh: () => undefined,
  js: () => undefined,
  mermaid: () => undefined,
  json: ({ text }) => (jsonValues(text) > 0 ? undefined : 'no JSON'),
  // test/deploy/commands.tools.test.ts
  yaml: ({ path, text }) => (path === 'docs/operations.md' && parse(text) ? undefined : 'run by no test'),
  // test/contributing.tools.test.ts follows the example
  diff: ({ file }) => (file ? undefined : 'of no file'),
  // a file of that example, or the example of a package, which its test/readme.test.ts runs
  ts: ({ file, path }) => (file || /^packages\/[^/]+\/README\.md$/.test(path) ? undefined : 'of no file'),
  // test/e2e/ocean-py.tools.test.ts runs its program, and the configuration that stands in for that of the program
  python: ({ path }) => (path === 'docs/clients/ocean-py.md' ? undefined : 'run by no test'),
  // test/readme.tools.test.ts and test/docs-sessions.tools.test.ts compare outputs
  text: ({ path }) => (['README.md', 'docs/signatures.md'].includes(path) ? undefined : 'compared with no output'),
}

/** The number of JSON values in a block. Throws if one cannot be parsed. */
function jsonValues(text: string): number {
  const values = text.trimEnd().split(/\n(?=[[{])/)
  for (const value of values) JSON.parse(value)
  return values.length
}

describe('blocks of the pages', () => {
  const blocks = pages().flatMap(({ path, blocks }) => blocks.map((block): Block => ({ ...block, path })))

  it('have a language that is checked', () => {
    const problems = blocks.flatMap((block) => {
      const check = CHECKED[block.language]
      const problem = check ? check(block) : `no test knows the language ${block.language || '(none)'}`
      return problem ? [`${block.path}, ${block.heading}: ${problem}\n${block.text}`] : []
    })
    expect(problems).toEqual([])
  })

  it('are all that look like one', () => {
    // indented, with tildes, or with more than a language: `page` would not find these
    const odd = pages().flatMap(({ path, prose }) => (/^(\s+```|\s*~~~|```)/m.test(prose) ? [path] : []))
    expect(odd).toEqual([])
  })
})
