export { decrypt, encrypt } from './crypto/ecies.js'
export { hasForm } from './crypto/ecies-content.js'
export {
  compressedPublicKey,
  derivedSecret,
  type ProviderKey,
  personalDigest,
  providerKey,
  recoverAddress,
  recoverSigner,
  type Signature,
  signDigest,
  transactionAccount,
} from './crypto/keys.js'
export { makeKeystore, openKeystore } from './crypto/keystore.js'
export { type SealingKeys, seal, sealingKeys, sealingKeysFrom, unseal } from './crypto/sealing.js'
export { documentKeys } from './ddo/document-keys.js'
