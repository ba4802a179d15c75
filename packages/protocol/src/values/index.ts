export {
  addressIn,
  blockIn,
  countIn,
  dateIn,
  defined,
  fieldsOf,
  type Json,
  lineOf,
  listOf,
  plainText,
  textOf,
} from './fields.js'
export { bytesText, lastPart, printable, shortAddress } from './text.js'
