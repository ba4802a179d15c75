import { isIP } from 'node:net'
import fc from 'fast-check'
import { BOUNDS } from '../../src/bounds.js'
import { parseHosts } from '../../src/storage/hosts-file.js'
import { mutatedText } from '../lib/mutate.js'
import { oddText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const HONEST = '127.0.0.1 localhost\n::1 localhost ip6-localhost # both\n\n10.0.0.5\tfiles.example Files2.example.\n'

/** The hosts file of the machine. */
export default target({
  inputs: fc.oneof(mutatedText(fc.constant(HONEST)), oddText()),
  read(text: string) {
    for (const addresses of parseHosts(text).values()) {
      holds(addresses.length <= 2 * BOUNDS.dns.addresses, 'a name has a few addresses')
      for (const { address, family } of addresses) holds(isIP(address) === family, 'an address is of its family')
    }
  },
})
