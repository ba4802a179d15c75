import { BlockList, isIP, isIPv4 } from 'node:net'
import fc from 'fast-check'
import { isPublicAddress, literalAddress } from '../../../packages/protocol/src/addresses.js'
import { isPrivate, networkOf } from '../../../packages/provider/src/http/limits/address.js'
import { Destinations } from '../../../packages/storage/src/egress/destinations.js'
import { mutatedText } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const destinations = new Destinations({ allowNonPublic: false, deniedNetworks: ['203.0.113.0/24', '8.8.8.8'] })
const honest = fc.oneof(
  fc.ipV4(),
  fc.ipV4Extended(),
  fc.ipV6(),
  fc.ipV4().map((ip) => `::ffff:${ip}`),
  fc.constantFrom(
    '10.0.0.1',
    '127.1',
    '0x7f.1',
    '169.254.169.254',
    '::1',
    'fe80::1%eth0',
    '64:ff9b::a00:1',
    '2002:a00:1::',
  ),
  fc.constantFrom('[::1]', '1.2.3.4:80', '8.8.8.8', '2001:4860:4860::8888', '192.168.0.1.', '3232235521'),
)

/** An independent list of networks that are never public, as the oracle. */
const PRIVATE = new BlockList()
for (const [net, bits] of [
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['192.168.0.0', 16],
  ['0.0.0.0', 8],
] as const)
  PRIVATE.addSubnet(net, bits)
for (const [net, bits] of [
  ['::1', 128],
  ['fe80::', 10],
  ['fc00::', 7],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv6')

/** Addresses: of storages, of the hosts of URLs, of clients behind proxies. */
export default target({
  inputs: fc.oneof(mutatedText(honest, 2), honest, edgeCaseText()),
  read(text: string) {
    const isPrivateNet = isIP(text) !== 0 && PRIVATE.check(text, isIPv4(text) ? 'ipv4' : 'ipv6')
    const allowed = isPublicAddress(text)
    holds(!(allowed && isPrivateNet), 'a private address is not public')
    holds(allowed || !destinations.allows(text), 'a non-public address is not allowed')
    const literal = literalAddress(text)
    holds(literal === undefined || isIP(literal) !== 0, 'a literal is an IP address')
    networkOf(text)
    isPrivate(text)
    const url = `http://${text}/`
    if (URL.canParse(url)) {
      const host = literalAddress(new URL(url).hostname)
      if (host !== undefined)
        holds(isPublicAddress(host) === isPublicAddress(literalAddress(host) ?? ''), 'one verdict for one host')
    }
  },
})
