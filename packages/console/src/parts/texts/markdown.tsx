import { lexer, type MarkedToken, type Token } from 'marked'
import type { ComponentChildren } from 'preact'
import { CONSOLE_LIMITS } from '../../limits.js'
import { text as words } from '../../text.js'
import { Visible } from './words.js'

const { markdown: MOST } = CONSOLE_LIMITS.texts

/**
 * A stranger's text as Markdown. Elements are created from its tokens, so HTML stays text and cannot run. A picture is its
 * alternative text. A link shows its target, and leads only to the web or to e-mail.
 */
export function Markdown({ text }: { text: string }) {
  const tokens = text.length > MOST.characters ? undefined : tokensOf(text)
  return tokens ? blocks(tokens, 0) : <Plain text={text} />
}

function tokensOf(text: string): Token[] | undefined {
  try {
    return lexer(text)
  } catch {
    // nested too deeply for the parser's stack
    return undefined
  }
}

/** A text without markup. */
function Plain({ text }: { text: string }) {
  return (
    <p class="words-block" dir="auto">
      <Visible text={text} />
    </p>
  )
}

const blocks = (tokens: Token[], depth: number) => tokens.map((token) => block(token as MarkedToken, depth + 1))

function block(token: MarkedToken, depth: number): ComponentChildren {
  if (depth > MOST.depth) return <Plain text={token.raw} />
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'hr':
      return <hr />
    case 'heading': {
      // the page has the levels above
      const Heading = token.depth < 3 ? 'h3' : 'h4'
      return <Heading dir="auto">{inline(token.tokens, depth)}</Heading>
    }
    case 'code':
      return (
        <pre>
          <Visible text={token.text} />
        </pre>
      )
    case 'blockquote':
      return <blockquote>{blocks(token.tokens, depth)}</blockquote>
    case 'list': {
      const items = token.items.map((item) => <li>{blocks(item.tokens, depth)}</li>)
      return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>
    }
    case 'table':
      return (
        <div class="table-frame">
          <table>
            <thead>
              <tr>
                {token.header.map((cell) => (
                  <th>{inline(cell.tokens, depth)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {token.rows.map((row) => (
                <tr>
                  {row.map((cell) => (
                    <td>{inline(cell.tokens, depth)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )
    case 'paragraph':
      return (
        <p class="words-block" dir="auto">
          {inline(token.tokens, depth)}
        </p>
      )
    case 'text':
      return token.tokens ? inline(token.tokens, depth) : <Visible text={token.raw} />
    default:
      return <Plain text={token.raw} />
  }
}

const inline = (tokens: Token[], depth: number) => tokens.map((token) => phrase(token as MarkedToken, depth + 1))

function phrase(token: MarkedToken, depth: number): ComponentChildren {
  if (depth > MOST.depth) return <Visible text={token.raw} />
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens, depth)}</strong>
    case 'em':
      return <em>{inline(token.tokens, depth)}</em>
    case 'del':
      return <del>{inline(token.tokens, depth)}</del>
    case 'codespan':
      return (
        <code>
          <Visible text={token.text} />
        </code>
      )
    case 'br':
      return <br />
    case 'image':
      return <Visible text={words.picture(token.text)} />
    case 'link': {
      const target = targetOf(token.href)
      // a bare URL stays text
      if (!target || token.raw === token.href) return <Visible text={token.raw} />
      return (
        <>
          <a href={target.href} target="_blank" rel="nofollow noopener noreferrer">
            {inline(token.tokens, depth)}
          </a>{' '}
          <span class="muted">
            (<Visible text={target.where} />)
          </span>
        </>
      )
    }
    case 'escape':
      return <Visible text={token.text} />
    case 'text':
      return token.tokens ? inline(token.tokens, depth) : <Visible text={token.raw} />
    default:
      return <Visible text={token.raw} />
  }
}

/** Returns the target of a link; undefined if it is neither a web nor an e-mail address. */
function targetOf(href: string): { href: string; where: string } | undefined {
  if (!URL.canParse(href)) return undefined
  const url = new URL(href)
  if (url.protocol === 'mailto:') return { href: url.href, where: url.pathname }
  return /^https?:$/.test(url.protocol) && !url.username ? { href: url.href, where: url.host } : undefined
}
