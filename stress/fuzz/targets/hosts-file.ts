import { isIP } from 'node:net'
import fc from 'fast-check'
import { parseHosts } from '../../../packages/storage/src/egress/dns/hosts-file.js'
import { STORAGE_LIMITS } from '../../../packages/storage/src/limits.js'
import { mutatedText } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const HONEST = '127.0.0.1 localhost\n::1 localhost ip6-localhost # both\n\n10.0.0.5\tfiles.example Files2.example.\n'

/** The hosts file of the machine. */
export default target({
  inputs: fc.oneof(mutatedText(fc.constant(HONEST)), edgeCaseText()),
  read(text: string) {
    for (const addresses of parseHosts(text).values()) {
      holds(addresses.length <= 2 * STORAGE_LIMITS.dns.addresses, 'the number of addresses of a name is bounded')
      for (const { address, family } of addresses) holds(isIP(address) === family, 'an address is of its family')
    }
  },
})
