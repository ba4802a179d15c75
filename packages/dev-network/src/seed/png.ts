import { crc32, deflateSync } from 'node:zlib'

/** Returns the colour of a point: red, green and blue from 0 to 255. */
export type Paint = (x: number, y: number) => readonly [number, number, number]

/** Returns a picture as PNG (ISO/IEC 15948): 8 bits per channel, no filter. */
export function png(width: number, height: number, paint: Paint): Buffer {
  const line = 1 + 3 * width
  const raw = Buffer.alloc(line * height)
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) raw.set(paint(x, y), y * line + 1 + 3 * x)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // bit depth, and colour type RGB
  header.set([8, 2], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(raw)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}
