import { dataTypeOf } from '@tidegate/protocol/data-types'

/** What some browsers say of any file that they do not know. */
const ANY = 'application/octet-stream'

/** Returns the media type of a chosen file: browsers know few of files of data. Empty if it is unknown. */
export function typeOf({ type, name }: File): string {
  return type !== '' && type !== ANY ? type : (dataTypeOf(name) ?? type)
}
