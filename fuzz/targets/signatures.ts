import fc from 'fast-check'
import { messageOfContract } from '../../src/auth/contract-wallet.js'
import { signedForms, signedMessage, signerOf } from '../../src/auth/signature.js'
import { signDigest } from '../../src/crypto/keys.js'
import { CONSUMER, KEY } from '../lib/honest.js'
import { mutatedText } from '../lib/mutate.js'
import { oddText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const MESSAGE = 'did:op:1'
const { r, s, v } = signDigest(signedForms(MESSAGE)[0] as Uint8Array, KEY)
const GOOD = r + s.slice(2) + v.toString(16)
const chain = {
  nodes: { ask: async (step: (client: unknown, foreign: unknown) => unknown) => step({}, async () => '0x') },
}

/** Signatures and the texts that they are of. */
export default target({
  inputs: fc.record({
    signature: fc.oneof(mutatedText(fc.constant(GOOD), 2), oddText()),
    message: fc.oneof(fc.constant(MESSAGE), oddText()),
  }),
  async read({ signature, message }) {
    const said = signedMessage(KEY.address, [message, 'other'], signature)
    if (said !== undefined) holds(said === MESSAGE, 'nobody has signed anything else')
    const signer = signerOf(message, signature)
    holds(signer === undefined || /^0x[0-9a-fA-F]{40}$/.test(signer), 'a signer is an address')
    holds(
      (await messageOfContract(chain as never, CONSUMER, [message], signature)) === undefined,
      'a contract that is not there signs nothing',
    )
  },
})
