import type { Endpoint } from '../endpoint.js'
import { assetDdo, validateDdo } from './assets.js'
import { decrypt } from './decrypt.js'
import { download } from './download.js'
import { encrypt } from './encrypt.js'
import { fileinfo } from './fileinfo.js'
import { live, ready } from './health.js'
import { initialize } from './initialize.js'
import { nonce } from './nonce.js'
import { createAuthToken, deleteAuthToken, generateAuthToken, invalidateAuthToken } from './tokens.js'

/** Every endpoint of the service beside the root document. */
export const ENDPOINTS: readonly Endpoint[] = [
  nonce,
  encrypt,
  decrypt,
  fileinfo,
  initialize,
  download,
  createAuthToken,
  deleteAuthToken,
  generateAuthToken,
  invalidateAuthToken,
  assetDdo,
  validateDdo,
  live,
  ready,
]
