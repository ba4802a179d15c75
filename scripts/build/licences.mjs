// Licence notices of the bundled packages.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestOf } from './packages.mjs'

/** Returns name, version, licence, licence text and notices of each package. Throws if a package names no licence. */
export function licenceNotices(root, keys) {
  const packages = keys.map((key) => {
    const manifest = manifestOf(root, key)
    if (!licenceOf(manifest)) throw new Error(`${key} names no licence: it may not be bundled`)
    return { manifest, text: textIn(join(root, key)) }
  })
  const parts = packages.map((one) => {
    const { manifest } = one
    const text = one.text ?? siblingText(one, packages) ?? authorOf(manifest)
    return `${manifest.name} ${manifest.version} (${licenceOf(manifest)})\n\n${text}\n`
  })
  return parts.join(`\n${'-'.repeat(80)}\n\n`)
}

/** Returns the licence in a package.json, in the current or an older format; undefined if it names none. */
export function licenceOf({ license, licenses }) {
  const names = (licenses ?? [license]).map((one) => (typeof one === 'object' ? one?.type : one)).filter(Boolean)
  return names.length > 1 ? `(${names.join(' OR ')})` : names[0]
}

/** Returns the texts that must accompany a package: licence files and notices, or else the licence section of its README. */
function textIn(folder) {
  const files = readdirSync(folder).sort()
  const read = (file) => readFileSync(join(folder, file), 'utf8').trim()
  const texts = files.filter((file) => /^(licen[sc]e|copying|notice)/i.test(file)).map(read)
  if (texts.length > 0) return texts.join('\n\n')
  const readme = files.find((file) => /^readme/i.test(file))
  return (readme && /^#+ *licen[sc]e[^\n]*\n+((?:(?!^#).)*)/ims.exec(read(readme))?.[1]?.trim()) || undefined
}

/** Returns the text of another package with the same repository and licence. */
function siblingText({ manifest }, packages) {
  const repository = repositoryOf(manifest)
  const isSibling = (other) => repositoryOf(other) === repository && licenceOf(other) === licenceOf(manifest)
  return repository && packages.find((other) => other.text && isSibling(other.manifest))?.text
}

function repositoryOf({ repository }) {
  return typeof repository === 'object' ? repository?.url : repository
}

function authorOf({ author, homepage }) {
  const by = typeof author === 'object' ? author.name : author
  return `The package contains no licence text. Author: ${by ?? 'not named'}${homepage ? `, ${homepage}` : ''}`
}
