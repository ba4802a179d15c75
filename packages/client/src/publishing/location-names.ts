import { DistinctPaths } from '@tidegate/protocol/distinct-paths'
import { publicNameProblem } from '@tidegate/protocol/public-name'
import { lastPart } from '@tidegate/protocol/values'
import type { FileObject } from '../types.js'

/**
 * Gives each file without a name the one at the end of its location: of an http(s) URL, an IPFS path or an S3 key. A name
 * that another file has gets the number of its file in front. Only names with an extension are taken: others may be secrets.
 *
 * @example
 * withLocationNames([{ type: 'url', url: 'https://example.org/tides.csv' }])
 */
export function withLocationNames(objects: readonly FileObject[]): FileObject[] {
  const paths = new DistinctPaths()
  const namesOf = objects.map(({ name }) => (typeof name === 'string' ? name : undefined))
  for (const name of namesOf) if (name !== undefined) paths.pathOf(0, name)
  return objects.map((object, file) => {
    const name = object.name === undefined ? nameIn(object) : undefined
    return name === undefined ? object : { ...object, name: paths.pathOf(file, name) }
  })
}

/** Returns the name at the end of a location; undefined if it has none, or one that cannot be published. */
function nameIn({ type, url, hash, key }: FileObject): string | undefined {
  if (type === 'url' && typeof url === 'string' && URL.canParse(url)) return publicName(lastPart(new URL(url).pathname))
  if (type === 'ipfs' && typeof hash === 'string' && hash.includes('/'))
    return publicName(lastPart(hash.replace(/[?#].*$/s, '')))
  return type === 's3' && typeof key === 'string' ? publicName(key.slice(key.lastIndexOf('/') + 1)) : undefined
}

function publicName(name: string): string | undefined {
  const isFile = /^[^./][^/]*\.[A-Za-z0-9]{1,10}$/s.test(name)
  return isFile && publicNameProblem(name) === undefined ? name : undefined
}
