import { readFileSync } from 'node:fs'
import { StartError } from '@tidegate/protocol'
import { PROVIDER_LIMITS } from '../limits.js'

const PICTURES: [type: string, isOf: (bytes: Buffer) => boolean][] = [
  ['image/png', (bytes) => bytes.subarray(0, 4).equals(Buffer.from('\x89PNG', 'latin1'))],
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ['image/webp', (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'],
  [
    'image/svg+xml',
    (bytes) =>
      /^\uFEFF?\s*</.test(bytes.toString('utf8')) &&
      bytes.subarray(0, PROVIDER_LIMITS.console.logoHead).includes('<svg'),
  ],
]

/** Reads OPERATOR_LOGO. Throws StartError if it is no picture of a known type, or too large. */
export function readLogo(path: string): { contentType: string; bytes: Buffer } {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    throw new StartError([`OPERATOR_LOGO: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`])
  }
  const { logo: most } = PROVIDER_LIMITS.console
  if (bytes.length > most) throw new StartError([`OPERATOR_LOGO: ${path} has more than ${most} bytes.`])
  const contentType = PICTURES.find(([, isOf]) => isOf(bytes))?.[0]
  if (!contentType) throw new StartError([`OPERATOR_LOGO: ${path} is no SVG, PNG, WebP or JPEG.`])
  return { contentType, bytes }
}
