export { decodeCopy, type Hint, readHint } from './ddo/cached-copy.js'
export { didOf, didsOf } from './ddo/ddo.js'
export { decodeDocument } from './ddo/on-chain/decode.js'
export { INFLATED, TOO_LARGE } from './ddo/on-chain/lzma.js'
export {
  type Decoded,
  type DocumentOwner,
  type DocumentTask,
  isEncrypted,
  type PublishedDocument,
  sizeProblem,
} from './ddo/on-chain/published-document.js'
export { readStored } from './ddo/stored.js'
export { type SignedBy, type Validated, validateDocument } from './ddo/validate.js'
