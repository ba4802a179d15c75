import { createHash } from 'node:crypto'

/** The style of all pages, in the page: one request shows a page. */
export const STYLE = `
:root{color-scheme:light dark;--ground:light-dark(#f4f7f8,#0a1418);--surface:light-dark(#fff,#111e23);--ink:light-dark(#0f242b,#e6f0f2);--muted:light-dark(#4a626b,#9db3bb);--line:light-dark(#d5e0e4,#24383f);--brand:light-dark(#0a6668,#56c9c1);--on-brand:light-dark(#fff,#03211f);--good:light-dark(#12653a,#6fd39b);--warn:light-dark(#8a4b00,#f0b35f)}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.5 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
header,main,footer{max-width:60rem;margin:0 auto;padding:1rem}
header a{color:inherit;font-weight:600;text-decoration:none}
footer{color:var(--muted);font-size:.875rem}
a{color:var(--brand)}
h1{font-size:clamp(1.625rem,1.2rem + 1.6vw,2.125rem);line-height:1.2;margin:.5rem 0}
h2{font-size:1.125rem;margin:2rem 0 .5rem}
.muted{color:var(--muted)}
.account{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.9375rem}
.author{display:inline-block;max-width:20rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;vertical-align:bottom}
.verified{color:var(--good);font-weight:600;white-space:nowrap}
.unverified{color:var(--warn)}
.text{white-space:pre-line}
.price{font-size:1.375rem;margin:1rem 0}
.button{display:inline-block;background:var(--brand);color:var(--on-brand);border-radius:10px;padding:.625rem 1.25rem;text-decoration:none;font-weight:600}
dl{display:grid;grid-template-columns:minmax(6rem,max-content) 1fr;gap:.25rem 1rem;margin:0}
dt{color:var(--muted)}
dd{margin:0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.375rem .75rem .375rem 0;border-bottom:1px solid var(--line);vertical-align:top}
td.number,th.number{text-align:right;white-space:nowrap;padding-right:0}
ol.assets,ul.tags{list-style:none;margin:0;padding:0}
ol.assets>li{background:var(--surface);border:1px solid var(--line);border-radius:10px;padding:1rem;margin:0 0 .75rem}
ol.assets h2{margin:0}
ol.assets p{margin:.25rem 0 0}
ul.tags{display:flex;flex-wrap:wrap;gap:.25rem .75rem}
nav.pages{display:flex;justify-content:space-between;margin:1rem 0}
`.trim()

const HASH = createHash('sha256').update(STYLE).digest('base64')

/** Policy of the pages: their own style alone. Nothing runs, nothing is loaded, no page frames them. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${HASH}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
