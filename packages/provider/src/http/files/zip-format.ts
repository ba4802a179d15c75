import { ZIP_FORMAT } from '../../constants.js'

const { block: BLOCK, most: MOST, most16: MOST16, signatures: SIGNATURES } = ZIP_FORMAT

/** An entry of a ZIP archive whose data has been written. */
export interface ZipEntry {
  /** A relative path with `/`. */
  path: string
  modified: Date
  /** Bytes of the file. */
  size: number
  crc: number
  /** Bytes before its local header. */
  offset: number
}

/** Bytes of the fields with times, of a local header, and of an entry of the directory, without the path. */
const TIMES = 9
const LOCAL = 30 + TIMES
const LISTED = 46 + TIMES

const ZIP20 = 20
const ZIP45 = 45
const DEFLATE = 8

/** Returns the bytes of a file as blocks of deflate that are stored. The last block, which may be empty, is shorter than `BLOCK`. */
export function storedSize(size: number): number {
  return size + 5 * (Math.floor(size / BLOCK) + 1)
}

/** Returns a stored block of deflate with up to `BLOCK` bytes. */
export function storedBlock(bytes: Buffer, isLast: boolean): Buffer {
  const block = Buffer.allocUnsafe(5 + bytes.length)
  block.writeUInt8(isLast ? 1 : 0, 0)
  block.writeUInt16LE(bytes.length, 1)
  block.writeUInt16LE(~bytes.length & MOST16, 3)
  bytes.copy(block, 5)
  return block
}

/** Whether the sizes after the data have 64 bits. Readers of streams decide by the bytes that they have read. */
const isLong = (size: number) => storedSize(size) > MOST

/** Returns the header before a file's data. `size` undefined: not known yet. */
export function localHeader({ path, modified }: Pick<ZipEntry, 'path' | 'modified'>, size: number | undefined): Buffer {
  const name = Buffer.from(path)
  const long = size !== undefined && isLong(size)
  const header = Buffer.alloc(LOCAL - TIMES)
  header.writeUInt32LE(SIGNATURES.local, 0)
  header.writeUInt16LE(long ? ZIP45 : ZIP20, 4)
  writeCommon(header, 6, modified)
  if (long) header.fill(0xff, 18, 26)
  header.writeUInt16LE(name.length, 26)
  header.writeUInt16LE(TIMES + (long ? 20 : 0), 28)
  return Buffer.concat([header, name, times(modified), ...(long ? [zip64([0, 0])] : [])])
}

/** Returns the CRC and the sizes of a file, which follow its data. */
export function dataDescriptor({ size, crc }: Pick<ZipEntry, 'size' | 'crc'>): Buffer {
  const descriptor = Buffer.alloc(isLong(size) ? 24 : 16)
  descriptor.writeUInt32LE(SIGNATURES.descriptor, 0)
  descriptor.writeUInt32LE(crc, 4)
  writeSize(descriptor, 8, storedSize(size))
  writeSize(descriptor, isLong(size) ? 16 : 12, size)
  return descriptor

  function writeSize(target: Buffer, at: number, value: number): void {
    if (isLong(size)) target.writeBigUInt64LE(BigInt(value), at)
    else target.writeUInt32LE(value, at)
  }
}

/** Returns the entry of a file in the directory. */
export function directoryEntry({ path, modified, size, crc, offset }: ZipEntry): Buffer {
  const name = Buffer.from(path)
  const numbers = [size, storedSize(size), offset]
  const long = numbers.filter((number) => number >= MOST)
  const entry = Buffer.alloc(LISTED - TIMES)
  entry.writeUInt32LE(SIGNATURES.entry, 0)
  // made on Unix, whose modes the last fields have
  entry.writeUInt16LE((3 << 8) | ZIP45, 4)
  entry.writeUInt16LE(long.length > 0 ? ZIP45 : ZIP20, 6)
  writeCommon(entry, 8, modified)
  entry.writeUInt32LE(crc, 16)
  entry.writeUInt32LE(Math.min(storedSize(size), MOST), 20)
  entry.writeUInt32LE(Math.min(size, MOST), 24)
  entry.writeUInt16LE(name.length, 28)
  entry.writeUInt16LE(TIMES + zip64Size(long.length), 30)
  entry.writeUInt32LE(ZIP_FORMAT.mode, 38)
  entry.writeUInt32LE(Math.min(offset, MOST), 42)
  return Buffer.concat([entry, name, times(modified), ...(long.length > 0 ? [zip64(long)] : [])])
}

/** Returns the end of an archive, after a directory of `size` bytes at `offset`. */
export function directoryEnd(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(SIGNATURES.end, 0)
  for (const at of [8, 10]) end.writeUInt16LE(Math.min(count, MOST16), at)
  end.writeUInt32LE(Math.min(size, MOST), 12)
  end.writeUInt32LE(Math.min(offset, MOST), 16)
  if (!isLongEnd(count, offset)) return end
  const long = Buffer.alloc(56 + 20)
  long.writeUInt32LE(SIGNATURES.end64, 0)
  long.writeBigUInt64LE(44n, 4)
  long.writeUInt16LE((3 << 8) | ZIP45, 12)
  long.writeUInt16LE(ZIP45, 14)
  for (const at of [24, 32]) long.writeBigUInt64LE(BigInt(count), at)
  long.writeBigUInt64LE(BigInt(size), 40)
  long.writeBigUInt64LE(BigInt(offset), 48)
  long.writeUInt32LE(SIGNATURES.locator64, 56)
  long.writeBigUInt64LE(BigInt(offset + size), 64)
  long.writeUInt32LE(1, 72)
  return Buffer.concat([long, end])
}

const isLongEnd = (count: number, offset: number) => offset >= MOST || count >= MOST16

/** Returns the bytes of an archive of files with these paths and sizes. */
export function zipLength(files: readonly { path: string; size: number }[]): number {
  let [offset, directory] = [0, 0]
  for (const { path, size } of files) {
    const [name, stored] = [Buffer.byteLength(path), storedSize(size)]
    directory += LISTED + name + zip64Size([size, stored, offset].filter((number) => number >= MOST).length)
    offset += LOCAL + name + stored + (isLong(size) ? 20 + 24 : 16)
  }
  return offset + directory + (isLongEnd(files.length, offset) ? 98 : 22)
}

const zip64Size = (numbers: number) => (numbers === 0 ? 0 : 4 + 8 * numbers)

function zip64(numbers: readonly number[]): Buffer {
  const extra = Buffer.alloc(zip64Size(numbers.length))
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(8 * numbers.length, 2)
  for (const [at, number] of numbers.entries()) extra.writeBigUInt64LE(BigInt(number), 4 + 8 * at)
  return extra
}

/** Writes the fields that both headers have: flags, method, and the time as DOS has it. */
function writeCommon(header: Buffer, at: number, time: Date): void {
  header.writeUInt16LE(ZIP_FORMAT.flags, at)
  header.writeUInt16LE(DEFLATE, at + 2)
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1)
  header.writeUInt16LE(clock, at + 4)
  const day =
    ((time.getUTCFullYear() - ZIP_FORMAT.years.first) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate()
  header.writeUInt16LE(day, at + 6)
}

/** Returns the extended timestamp, which has a time zone, other than the time of DOS. */
function times(modified: Date): Buffer {
  const extra = Buffer.alloc(TIMES)
  extra.writeUInt16LE(ZIP_FORMAT.timestamp, 0)
  extra.writeUInt16LE(TIMES - 4, 2)
  extra.writeUInt8(1, 4)
  extra.writeInt32LE(Math.floor(modified.getTime() / 1000), 5)
  return extra
}
