import { LAST_CODE_POINT } from '@tidegate/common'

/** An element of an XML document: its name without prefix, and its text or its children. */
export interface XmlElement {
  name: string
  /** Without white space at both ends. */
  text: string
  children: XmlElement[]
}

/** Comment or declaration, CDATA, tag (end, name, empty), text. */
const TOKEN =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)(?:[^\s<>/:!?"']+:)?([^\s<>/:!?"']+)(?:"[^"]*"|'[^']*'|[^"'<>/]|\/(?!>))*(\/?)>|([^<]+)/gy

/** Deepest element that is read: responses of S3 have four levels. */
const DEEPEST = 16

/**
 * Returns the root of a response of S3, in whatever style its maker writes XML: with prefixes, attributes, white space, comments,
 * CDATA. Undefined if it is not well-formed, nested too deep, or has a document type, which could define entities.
 */
export function xmlRoot(source: string): XmlElement | undefined {
  const text = source.replace(/^\uFEFF/, '')
  const document: XmlElement = { name: '', text: '', children: [] }
  const open = [document]
  let at = 0
  for (const [token, data, end, name, empty, plain] of text.matchAll(TOKEN)) {
    at += token.length
    const current = open.at(-1) as XmlElement
    if (data !== undefined) current.text += data
    else if (plain !== undefined) current.text += unescaped(plain)
    else if (name === undefined) continue
    else if (end) {
      if (open.pop()?.name !== name) return undefined
      current.text = current.text.trim()
    } else {
      const element = { name, text: '', children: [] }
      current.children.push(element)
      if (!empty) open.push(element)
    }
    if (open.length > DEEPEST) return undefined
  }
  const isWhole = at === text.length && open.length === 1 && document.children.length === 1
  return isWhole ? document.children[0] : undefined
}

/** Returns the text of the first child with a name. */
export function childText(element: XmlElement | undefined, name: string): string | undefined {
  return element?.children.find((child) => child.name === name)?.text
}

/** Returns the children with a name. */
export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? []
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED[name] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole
  })
}
