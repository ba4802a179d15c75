import { readFileSync, writeFileSync } from 'node:fs'
import { GENERATED } from './generated-docs.js'

// Writes every generated document anew. A test fails when one of them is not what this would write.
for (const [file, content] of Object.entries(GENERATED)) {
  const url = new URL(`../${file}`, import.meta.url)
  let old = ''
  try {
    old = readFileSync(url, 'utf8')
  } catch {}
  if (old === content()) continue
  writeFileSync(url, content())
  console.log(`wrote ${file}`)
}
