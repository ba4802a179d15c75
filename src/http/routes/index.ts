import type { Endpoint } from '../endpoint.js'
import { assetDdo, validateDdo } from './assets.js'
import { download } from './download.js'
import { encrypt } from './encrypt.js'
import { fileinfo } from './fileinfo.js'
import { initialize } from './initialize.js'
import { nonce } from './nonce.js'

/** Every endpoint of the service beside the root document. */
export const ENDPOINTS: readonly Endpoint[] = [nonce, encrypt, fileinfo, initialize, download, assetDdo, validateDdo]
