import spdx from 'spdx-license-ids/index.json' with { type: 'json' }

const BY_LOWER_CASE = new Map((spdx as string[]).map((id) => [id.toLowerCase(), id]))

/** A licence as publishers write it. `url` is set for an SPDX id, or if the text is itself a web address. */
export interface Licence {
  name: string
  url?: string
}

/** Returns the licence of an asset; undefined if it names none. */
export function licenceOf(text: string): Licence | undefined {
  if (text === '') return undefined
  const id = BY_LOWER_CASE.get(text.toLowerCase())
  if (id !== undefined) return { name: id, url: `https://spdx.org/licenses/${id}.html` }
  const isUrl = /^https?:\/\/[^\s<>"{}|\\^`]+$/i.test(text) && URL.canParse(text)
  return isUrl ? { name: text, url: new URL(text).href } : { name: text }
}
