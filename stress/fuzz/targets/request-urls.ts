import fc from 'fast-check'
import { locationOf } from '../../../packages/storage/src/egress/redirects.js'
import { type RequestUrl, redirectUrl, requestUrl } from '../../../packages/storage/src/egress/request-url.js'
import { mutatedText } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const urls = fc.constantFrom(
  'https://files.example/a/b%2Fc.csv?sig=a+b%20c==&empty=#top',
  'http:\\\\files.example\\a\\b',
  'HTTP://user@[::1]:8080/../a//./b?c=/../d',
)
const locations = fc.constantFrom(
  '../H\xc3\xb6he 1.csv?a=b#c',
  '//other.example:81/a/../b?c',
  '\\\\other.example\\a',
  'http:c.csv',
  '?d',
)

/** URLs of publishers and of redirects, up to the host that is connected to and the request line. */
export default target({
  inputs: fc.record({
    text: fc.oneof(mutatedText(urls), edgeCaseText()),
    location: fc.oneof(mutatedText(locations), edgeCaseText()),
  }),
  read({ text, location }) {
    const first = requestUrl(text)
    if (!first) return
    sound(first)
    holds(first.url.href === new URL(text).href, 'the host is that of the URL parser')
    const latin1 = Buffer.from(location, 'latin1').toString('latin1')
    const usable = locationOf({ status: 302, headers: { location: latin1 } } as never)
    const next = usable === undefined ? undefined : redirectUrl(usable, first)
    if (next) sound(next)
  },
})

function sound({ target, url }: RequestUrl): void {
  if (/^https?:$/.test(url.protocol)) holds(/^\/[\x21-\x7e]*$/.test(target), 'a target without spaces or lines')
}
