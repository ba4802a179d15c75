import { validateHeaderValue } from 'node:http'
import fc from 'fast-check'
import { conditionsFor, ownTag, sealedTag } from '../../../packages/provider/src/http/files/validators.js'
import { isEntityTag, isWildcard, matchesIfNoneMatch } from '../../../packages/storage/src/http/entity-tags.js'
import { KEY, OLD_KEY } from '../lib/honest.js'
import { mutatedText } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const FILE = { keys: [KEY, OLD_KEY], did: 'did:op:1', serviceId: 'a', fileIndex: 0 }
const OTHER = { ...FILE, fileIndex: 1 }
const OLD = { ...FILE, keys: [OLD_KEY] }
const tags = fc.constantFrom('"abc"', 'W/"abc"', '""', '"QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"')
const sealed = [FILE, OTHER, OLD].flatMap((file) =>
  ['"abc"', 'W/"x y"', '"\xff"'].map((tag) => sealedTag(tag, file) ?? ''),
)
const lists = fc.array(fc.oneof(fc.constantFrom(...sealed, '*', 'W/"', '"'), mutatedText(tags)), { maxLength: 12 })
const list = fc.oneof(
  lists.map((all) => all.join(', ')),
  edgeCaseText(),
)
const times = fc.constantFrom('Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT')
const time = fc.oneof(mutatedText(times), edgeCaseText())

/** Entity tags of storages, and conditional headers of consumers. */
export default target({
  inputs: fc.record({
    tag: fc.oneof(mutatedText(tags), edgeCaseText()),
    noneMatch: list,
    ifRange: fc.oneof(list, time),
    since: time,
  }),
  read({ tag, noneMatch, ifRange, since }) {
    const handedOut = sealedTag(tag, FILE)
    holds((handedOut !== undefined) === isEntityTag(tag), 'exactly the entity tags are sealed')
    if (handedOut !== undefined) {
      holds(ownTag(handedOut, FILE) === tag, 'a sealed tag is unsealed again')
      holds(ownTag(handedOut, OTHER) === undefined, 'a sealed tag is bound to one file')
      holds(matchesIfNoneMatch(handedOut, handedOut), 'a tag matches itself')
    }
    matchesIfNoneMatch(noneMatch, tag)
    const headers = { range: 'bytes=0-1', 'if-range': ifRange, 'if-none-match': noneMatch, 'if-modified-since': since }
    const passed = conditionsFor(FILE, headers)
    for (const name of ['if-range', 'if-none-match'] as const) {
      const value = passed[name]
      if (value === undefined) continue
      validateHeaderValue(name, value)
      holds(isWildcard(value) || !value.includes(sealed[0] as string), 'a storage only receives its own tags')
    }
  },
})
