import { compressedPublicKey, type ProviderKey } from '@tidegate/protocol/keys'
import { base58btc } from 'multiformats/bases/base58'

/** The identity that modern clients know this provider by. */
export interface ProviderIdentity {
  /** Peer id of the key. Clients sign it to name this provider. */
  id: string
  key: ProviderKey
}

/** Identity multihash, 37 bytes; protobuf PublicKey: Type (1) is Secp256k1 (2), Data (2) has 33 bytes. */
const PEER_ID_PREFIX = [0x00, 0x25, 0x08, 0x02, 0x12, 0x21]

/** Returns the identity of a key. Its id is a libp2p peer id (specs/peer-ids), such as `16Uiu2HA…`. */
export function providerIdentity(key: ProviderKey): ProviderIdentity {
  const bytes = Uint8Array.from([...PEER_ID_PREFIX, ...compressedPublicKey(key)])
  return { id: base58btc.baseEncode(bytes), key }
}
