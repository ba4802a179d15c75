import { readFileSync, writeFileSync } from 'node:fs'
import { GENERATED } from './generated-docs.js'

// Regenerates every generated document. A test fails if one of them is out of date.
for (const [file, content] of Object.entries(GENERATED)) {
  const url = new URL(`../${file}`, import.meta.url)
  let old = ''
  try {
    old = readFileSync(url, 'utf8')
  } catch {}
  const text = await content()
  if (old === text) continue
  writeFileSync(url, text)
  console.log(`wrote ${file}`)
}
