import { AVIF_SIZE_BOX, WEBP_SIDE } from '../../constants.js'
import { CONSOLE_LIMITS } from '../../limits.js'

const { picture: MOST_PIXELS, avifHead: AVIF_HEAD } = CONSOLE_LIMITS.samples

export interface Picture {
  type: string
  isTooLarge: boolean
}

/** Returns the kind and size of a picture by its first bytes; undefined for other files, and without a size. */
export function pictureOf(bytes: Uint8Array): Picture | undefined {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = (at: number, length: number) => String.fromCharCode(...bytes.subarray(at, at + length))
  if (bytes.length < 32) return undefined
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return sized('image/png', data.getUint32(16), data.getUint32(20))
  if (text(0, 4) === 'GIF8') return sized('image/gif', data.getUint16(6, true), data.getUint16(8, true))
  if (text(0, 2) === '\xff\xd8') return jpeg(data)
  if (text(0, 4) === 'RIFF' && text(8, 4) === 'WEBP') return webp(data, text(12, 4))
  if (text(4, 4) === 'ftyp' && /^avi[fs]$/.test(text(8, 4))) return avif(data)
  return undefined
}

function sized(type: string, width: number, height: number): Picture | undefined {
  return width > 0 && height > 0 ? { type, isTooLarge: width * height > MOST_PIXELS } : undefined
}

/** Finds the frame header, which is one of the first segments. */
function jpeg(data: DataView): Picture | undefined {
  for (let at = 2; at + 9 < data.byteLength && data.getUint8(at) === 0xff; at += 2 + data.getUint16(at + 2)) {
    const marker = data.getUint8(at + 1)
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return sized('image/jpeg', data.getUint16(at + 7), data.getUint16(at + 5))
  }
  return undefined
}

function webp(data: DataView, chunk: string): Picture | undefined {
  const type = 'image/webp'
  const [low, high] = [data.getUint32(21, true), data.getUint32(26, true)]
  const { extended, plain } = WEBP_SIDE
  // sizes are stored less one
  if (chunk === 'VP8X')
    return sized(type, (data.getUint32(24, true) & extended) + 1, (data.getUint32(27, true) & extended) + 1)
  if (chunk === 'VP8L') return sized(type, (low & plain) + 1, ((low >> 14) & plain) + 1)
  return chunk === 'VP8 ' ? sized(type, high & plain, (high >> 16) & plain) : undefined
}

/** Takes the largest of all declared sizes: a grid has many. */
function avif(data: DataView): Picture | undefined {
  let largest = [0, 0] as [number, number]
  for (let at = 12; at + 16 < Math.min(data.byteLength, AVIF_HEAD); at++) {
    if (data.getUint32(at) !== AVIF_SIZE_BOX) continue
    const [width, height] = [data.getUint32(at + 8), data.getUint32(at + 12)]
    if (width * height > largest[0] * largest[1]) largest = [width, height]
  }
  return sized('image/avif', ...largest)
}
