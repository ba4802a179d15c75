import { providerKey } from '@tidegate/protocol/keys'
import { expect, it } from 'vitest'
import { providerIdentity } from './provider-identity.js'

it('is the peer id that libp2p derives from the key', () => {
  // from @libp2p/peer-id: peerIdFromPrivateKey(privateKeyFromRaw(…))
  expect(providerIdentity(providerKey('11'.repeat(32))).id).toBe(
    '16Uiu2HAmHzBkRq62mG95vsjKMuYQBezZCtjPXYWUoyVxMxi71aB3',
  )
})
