/** The value types of the legacy Redis. */
export type PickledValue = string | number | bigint | boolean

/** The opcodes in use. Their names in Python's `pickletools`, in capitals. */
const OP = {
  PROTO: 0x80,
  FRAME: 0x95,
  STOP: 0x2e,
  MEMOIZE: 0x94,
  BINPUT: 0x71,
  LONG_BINPUT: 0x72,
  PUT: 0x70,
} as const

/**
 * Reads a pickle (protocols 2 to 5) of exactly one text, number or boolean; returns undefined for everything else. It
 * interprets no other opcodes, so a pickle cannot execute code. The work is bounded by the number of bytes.
 */
export function readPickle(bytes: Buffer): PickledValue | undefined {
  try {
    return onlyValue(new Cursor(bytes))
  } catch {
    return undefined // truncated, or not UTF-8
  }
}

function onlyValue(cursor: Cursor): PickledValue | undefined {
  if (cursor.byte() !== OP.PROTO) return undefined
  const protocol = cursor.byte()
  if (protocol < 2 || protocol > 5) return undefined
  if (cursor.takeIf(OP.FRAME) && cursor.take(8).readBigUInt64LE() !== BigInt(cursor.left)) return undefined
  const read = READERS[cursor.byte()]
  if (!read) return undefined
  const value = read(cursor)
  // stores the value in the memo, which is never read
  if (cursor.takeIf(OP.BINPUT)) cursor.take(1)
  else if (cursor.takeIf(OP.LONG_BINPUT)) cursor.take(4)
  else if (cursor.takeIf(OP.PUT)) cursor.line()
  else cursor.takeIf(OP.MEMOIZE)
  return cursor.byte() === OP.STOP && cursor.left === 0 ? value : undefined
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Readers of opcodes with a value. */
const READERS: Record<number, (cursor: Cursor) => PickledValue> = {
  // NEWTRUE, NEWFALSE
  136: () => true,
  137: () => false,
  // SHORT_BINUNICODE, BINUNICODE
  140: (cursor) => utf8.decode(cursor.take(cursor.byte())),
  88: (cursor) => utf8.decode(cursor.take(cursor.take(4).readUInt32LE())),
  // BINFLOAT
  71: (cursor) => cursor.take(8).readDoubleBE(),
  // INT, BININT, BININT1, BININT2
  73: (cursor) => wholeOf(cursor.line()),
  74: (cursor) => cursor.take(4).readInt32LE(),
  75: (cursor) => cursor.byte(),
  77: (cursor) => cursor.take(2).readUInt16LE(),
  // LONG1: a two's complement number, little-endian
  138: (cursor) => {
    const bytes = Buffer.from(cursor.take(cursor.byte())).reverse()
    return bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`))
  },
}

function wholeOf(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text)) throw new RangeError('no whole number')
  return BigInt(text)
}

/** Reads bytes sequentially. Throws RangeError at the end. */
class Cursor {
  private at = 0

  constructor(private readonly bytes: Buffer) {}

  get left(): number {
    return this.bytes.length - this.at
  }

  byte(): number {
    return this.take(1).readUInt8()
  }

  take(count: number): Buffer {
    if (count > this.left) throw new RangeError('too short')
    const start = this.at
    this.at += count
    return this.bytes.subarray(start, this.at)
  }

  takeIf(opcode: number): boolean {
    if (this.bytes[this.at] !== opcode) return false
    this.at++
    return true
  }

  /** Text up to the end of a line. */
  line(): string {
    const end = this.bytes.indexOf('\n', this.at)
    if (end < 0) throw new RangeError('too short')
    return this.take(end + 1 - this.at)
      .subarray(0, -1)
      .toString('latin1')
  }
}
