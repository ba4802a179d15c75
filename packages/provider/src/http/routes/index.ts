import { CATALOGUE_ENDPOINTS } from '../catalogue/endpoints.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { mcp } from '../mcp/mcp.js'
import { assetDdo, assetMetadata } from './assets.js'
import { decrypt } from './decrypt.js'
import { directCommand } from './direct-command.js'
import { download } from './download.js'
import { createDownloadLink, followDownloadLink } from './download-link.js'
import { encrypt } from './encrypt.js'
import { encryptVersion } from './encrypt-version.js'
import { fileinfo } from './fileinfo.js'
import { live, ready } from './health.js'
import { hiddenAssets } from './hidden-assets.js'
import { deleteUpload, listUploads, showUpload } from './hosting/hosted-files.js'
import { publicFile } from './hosting/public-files.js'
import { continueUpload, createUpload } from './hosting/uploads.js'
import { initialize } from './initialize.js'
import { assetNames } from './names.js'
import { nonce } from './nonce.js'
import { initializePolicyVerification, policyPassthrough } from './policy-server.js'
import { purchase, purchaseByPost, purchaseState } from './purchase.js'
import { searchAssets, searchMetadata } from './search.js'
import { status } from './status.js'
import { createAuthToken, deleteAuthToken, generateAuthToken, invalidateAuthToken } from './tokens.js'
import { validateDdo } from './validate.js'

/** Every endpoint of the service except the root document. */
export const ENDPOINTS: readonly Endpoint[] = [
  nonce,
  encrypt,
  encryptVersion,
  decrypt,
  fileinfo,
  initialize,
  download,
  createDownloadLink,
  followDownloadLink,
  purchase,
  purchaseByPost,
  purchaseState,
  initializePolicyVerification,
  policyPassthrough,
  createUpload,
  continueUpload,
  listUploads,
  showUpload,
  deleteUpload,
  publicFile,
  createAuthToken,
  deleteAuthToken,
  generateAuthToken,
  invalidateAuthToken,
  assetDdo,
  assetMetadata,
  hiddenAssets,
  validateDdo,
  searchAssets,
  searchMetadata,
  assetNames,
  ...CATALOGUE_ENDPOINTS,
  status,
  mcp,
  directCommand,
  live,
  ready,
]
