export { decodeCopy, type Hint, readHint } from './ddo/cached-copy.js'
export { didOf, didsOf } from './ddo/ddo.js'
export { decodeDocument } from './ddo/decode.js'
export { documentKeys } from './ddo/document-keys.js'
export { INFLATED, TOO_LARGE } from './ddo/lzma.js'
export {
  type Decoded,
  type DocumentOwner,
  type DocumentTask,
  isEncrypted,
  type PublishedDocument,
  sizeProblem,
} from './ddo/published-document.js'
export { readStored } from './ddo/stored.js'
export { type SignedBy, type Validated, validateDocument } from './ddo/validate.js'
