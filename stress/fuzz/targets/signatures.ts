import fc from 'fast-check'
import { signDigest } from '../../../packages/protocol/src/crypto/keys.js'
import { messageSignedByWallet } from '../../../packages/provider/src/auth/contract-wallet.js'
import { SignerRecovery } from '../../../packages/provider/src/auth/recovery.js'
import { messageDigests, SignatureMatcher, signerOf } from '../../../packages/provider/src/auth/signature.js'
import { CONSUMER, KEY } from '../lib/honest.js'
import { mutatedText } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const MESSAGE = 'did:op:1'
const matcher = new SignatureMatcher(new SignerRecovery({ thread: false, isSingle: () => true }))
const { r, s, v } = signDigest(messageDigests(MESSAGE)[0] as Uint8Array, KEY)
const GOOD = r + s.slice(2) + v.toString(16)
const chain = {
  nodes: { ask: async (step: (client: unknown, callUntrusted: unknown) => unknown) => step({}, async () => '0x') },
}

/** Signatures and their messages. */
export default target({
  inputs: fc.record({
    signature: fc.oneof(mutatedText(fc.constant(GOOD), 2), edgeCaseText()),
    message: fc.oneof(fc.constant(MESSAGE), edgeCaseText()),
  }),
  async read({ signature, message }) {
    const match = await matcher.match(KEY.address, [message, 'other'], signature)
    if (match !== undefined) holds(match === MESSAGE, 'only the signed message matches')
    const signer = signerOf(message, signature)
    holds(signer === undefined || /^0x[0-9a-fA-F]{40}$/.test(signer), 'a signer is an address')
    holds(
      (await messageSignedByWallet(chain as never, CONSUMER, [message], signature)) === undefined,
      'a missing contract accepts no signature',
    )
  },
})
