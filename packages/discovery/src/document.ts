import { Html, html } from './html.js'
import { catalogueUrl, feedUrl, type Site } from './site.js'
import { STYLE } from './style.js'

export interface PageParts {
  site: Site
  title: string
  /** A sentence for search results and previews. */
  description?: string
  /** Canonical URL. */
  url?: string
  /** Whether search engines are to leave the page out. */
  hidden?: boolean
  /** URL of the page's Atom feed. */
  feed?: string
  /** Further elements of the head. */
  head?: Html
  main: Html
}

/** Writes a whole page, which works without script. Texts are escaped. */
export function document({ site, title, description, url, hidden, feed, head, main }: PageParts): string {
  const { name, console: app, url: home } = site
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
${
  description &&
  html`<meta name="description" content="${description}">
<meta property="og:description" content="${description}">`
}
${hidden && html`<meta name="robots" content="noindex">`}
<meta property="og:title" content="${title}">
<meta property="og:site_name" content="${name}">
<meta property="og:type" content="website">
${
  url &&
  html`<meta property="og:url" content="${url}">
<link rel="canonical" href="${url}">`
}
${feed && html`<link rel="alternate" type="application/atom+xml" href="${feed}">`}
${head}
<style>${new Html(STYLE)}</style>
</head>
<body>
<header><a href="${site.base}/catalogue">${name}</a></header>
<main>
${main}
</main>
<footer>
${home && html`<p><a href="${home}">${name}</a></p>`}
<p>${app && html`<a href="${app}">Search and buy in the console</a> · `}<a href="${site.base}/catalogue.jsonld">This catalogue as DCAT</a> · <a href="${feed ?? feedUrl(catalogueUrl(site, 1, 'catalogue'))}">Atom feed</a></p>
</footer>
</body>
</html>
`.text
}

/** Characters that are read for each character of a preview, since spaces are joined. */
const READ = 4

/** Returns the first words of a text, for a preview. */
export function beginning(text: string, most: number): string {
  const read = text.slice(0, READ * most)
  const line = read.replace(/\s+/g, ' ').trim()
  if (line.length <= most && read.length === text.length) return line
  const cut = line.slice(0, most).replace(/[\ud800-\udbff]$/, '')
  return `${cut.replace(/\s+\S*$/, '') || cut}…`
}
