import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The root folder of the repository, with a trailing slash. */
export const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url))

/** A fenced block of code in a page. */
export interface CodeBlock {
  /** The info string after the opening fence. */
  language: string
  text: string
  /** The file that the preceding line names as `path`:, for blocks that are files or diffs. */
  file?: string | undefined
  /** The heading above it. */
  heading: string
}

/** One Markdown page of the repository. */
export interface Page {
  /** Path from the root of the repository. */
  path: string
  text: string
  /** The text without fenced blocks. */
  prose: string
  blocks: CodeBlock[]
  /** The texts of the headings, in order. */
  headings: string[]
}

/** Every Markdown page of the repository. */
export function pages(): Page[] {
  const own = (name: string) => !/(^|\/)(node_modules|\.git|dist|coverage)(\/|$)/.test(name)
  const top = readdirSync(REPOSITORY, { encoding: 'utf8', withFileTypes: true })
  const paths = top.flatMap((entry) => {
    if (!own(entry.name)) return []
    if (!entry.isDirectory()) return [entry.name]
    const below = readdirSync(REPOSITORY + entry.name, { encoding: 'utf8', recursive: true })
    return below.map((path) => `${entry.name}/${path}`).filter(own)
  })
  return paths
    .filter((path) => path.endsWith('.md'))
    .sort()
    .map(page)
}

/** Reads one page. */
export function page(path: string): Page {
  const text = readFileSync(REPOSITORY + path, 'utf8')
  const prose: string[] = []
  const blocks: CodeBlock[] = []
  const headings: string[] = []
  let open: { language: string; lines: string[]; file: string | undefined } | undefined
  let lastLine = ''
  for (const line of text.split('\n')) {
    const fence = /^```(\S*)$/.exec(line)
    if (open && fence) {
      const { language, lines, file } = open
      const heading = headings.at(-1) ?? ''
      blocks.push({ language, text: `${lines.join('\n')}\n`, heading, ...(file ? { file } : {}) })
      open = undefined
    } else if (open) open.lines.push(line)
    else if (fence) open = { language: fence[1] as string, lines: [], file: /^`([^`]+)`:$/.exec(lastLine)?.[1] }
    else {
      prose.push(line)
      const heading = /^#{1,6} (.+)$/.exec(line)?.[1]
      if (heading) headings.push(heading)
      if (line.trim()) lastLine = line
    }
  }
  if (open) throw new Error(`${path} has a block of code without an end.`)
  return { path, text, prose: prose.join('\n'), blocks, headings }
}

/** The anchor that a heading has on the web page of the repository. */
export function anchorOf(heading: string): string {
  const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '')
  return plain
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
}

/** Whether a block builds on those before it: commands for people, and the programs and requests of the page on signatures. */
export function isOfSession({ path, text, file }: Pick<CodeBlock, 'text' | 'file'> & { path: string }): boolean {
  if (path === 'docs/signatures.md') return true
  return file === undefined && /(^|[\s(])tidegate /.test(text) && ['docs/publish.md', 'docs/buy.md'].includes(path)
}
