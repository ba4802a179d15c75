import { readFileSync, writeFileSync } from 'node:fs'
import { GENERATED } from './generated-docs.js'

// Writes every generated document. A test fails if one is outdated.
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
