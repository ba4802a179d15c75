export { decrypt, encrypt } from './crypto/ecies.js'
export {
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
