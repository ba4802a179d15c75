/** Characters that control a terminal, change the text direction or are invisible; lone surrogates and variation selectors. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu

/** Combining marks on one character, beyond those that any script needs. */
const STACKED = /(\p{M}{4})\p{M}+/gu

/** Characters of the source for each character of the result: markup and invisible characters are removed. */
const SOURCE = 4

/** Returns a stranger's text as one line of visible characters without tags and links, at most `most` of them. */
export function plainLine(text: string, most: number): string {
  return cut(text, most, (part) => visible(withoutTags(part).replace(/\s+/gu, ' ')).trim())
}

/** Returns lines of visible characters, at most `most` characters. Keeps markup: for the content of files. */
export function plainLines(text: string, most: number): string {
  return cut(text, most, visibleLines)
}

/** Returns a Markdown or HTML text without tags, links, images and marks, at most `most` characters. */
export function plainText(text: string, most: number): string {
  const bare = (part: string) =>
    withoutTags(part)
      .replace(/^[ \t]*(?:#{1,6}|[*+-]|[-=*_~`]{3,})(?=[ \t]|$)/gm, '')
      .replace(/[*`]+|~~|__/g, '')
      .replace(/[ \t]+/g, ' ')
      .replace(/(?: ?\r?\n){3,}/g, '\n\n')
  return cut(text, most, (part) => visibleLines(bare(part)).trim())
}

/** Removes tags, and the targets of links and images. */
function withoutTags(text: string): string {
  return text
    .replace(/<[^<>]*>/g, ' ')
    .replace(/[<>]/g, ' ')
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
}

function visibleLines(text: string): string {
  const lines = text.split(/\r\n|\n|\r/)
  return lines.map((line) => line.split('\t').map(visible).join('\t')).join('\n')
}

function visible(text: string): string {
  return text.replace(UNSEEN, '').replace(STACKED, '$1')
}

/** Converts the beginning of a text, and cuts the result. */
function cut(text: string, most: number, convert: (part: string) => string): string {
  const characters = Array.from(convert(text.slice(0, SOURCE * most)))
  const isCut = characters.length > most || text.length > SOURCE * most
  return isCut ? `${characters.slice(0, most - 1).join('')}…` : characters.join('')
}
