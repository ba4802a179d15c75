export { bytesText as shownBytes } from '@tidegate/client'

export function exactBytes(bytes: number): string {
  return new Intl.NumberFormat('en').format(bytes)
}
