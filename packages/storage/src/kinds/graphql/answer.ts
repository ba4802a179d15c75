const [QUOTE, BACKSLASH, COLON, COMMA] = Buffer.from('"\\:,') as unknown as [number, number, number, number]
const [CURLY, SQUARE, CURLY_END, SQUARE_END] = Buffer.from('{[}]') as unknown as [number, number, number, number]
const [NULL] = Buffer.from('n') as unknown as [number]
/** White space of JSON, and the bytes of a byte order mark before it. */
const SKIPPED = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])
/** Stored bytes of a key. The keys `data` and `errors` are shorter. */
const KEY = 64

/**
 * Finds out whether an answer to a GraphQL query has data, from its bytes as they arrive. It has none if `data` is missing or null,
 * or if all fields of `data` are null and there are `errors`. A text that is no object counts as data. No value is built.
 */
export class GraphqlAnswer {
  private depth = 0
  private begun = false
  private ended = false
  private isForeign = false
  private inString = false
  private escaped = false
  /** The bytes of an incomplete key. */
  private keyBytes: number[] | undefined
  private key = ''
  private isValueNext = false
  /** Whether the value at the second level is a list. */
  private isList = false
  private data: 'none' | 'empty' | 'some' = 'none'
  private hasErrors = false

  /** Takes the next bytes. Returns whether the result is certain. */
  take(chunk: Uint8Array): boolean {
    for (const byte of chunk) {
      if (this.isDecided) return true
      if (this.inString) this.inText(byte)
      else if (!SKIPPED.has(byte)) this.step(byte)
    }
    return this.isDecided
  }

  /** Whether the answer has data, by the bytes so far. */
  get isFile(): boolean {
    if (this.isForeign || this.data === 'some') return true
    return this.ended && this.data === 'empty' && !this.hasErrors
  }

  private get isDecided(): boolean {
    return this.isForeign || this.ended || this.data === 'some'
  }

  private step(byte: number): void {
    if (!this.begun) {
      this.begun = true
      this.isForeign = byte !== CURLY
    }
    if (byte === COLON) this.isValueNext = this.depth <= 2
    else if (byte === COMMA) this.isValueNext = this.depth === 2 && this.isList
    else if (byte === CURLY_END || byte === SQUARE_END) {
      this.isValueNext = false
      this.depth -= 1
      this.ended = this.depth <= 0
    } else this.beginning(byte)
  }

  /** Handles the first byte of a value or key, or a later byte of a number or word. */
  private beginning(byte: number): void {
    const isValue = this.isValueNext
    this.isValueNext = false
    if (isValue) this.value(byte)
    if (byte === QUOTE) {
      this.inString = true
      if (this.depth === 1 && !isValue) this.keyBytes = []
    } else if (byte === CURLY || byte === SQUARE) {
      this.depth += 1
      if (this.depth !== 2) return
      this.isList = byte === SQUARE
      this.isValueNext = this.isList
    }
  }

  /** Handles the first byte of a value at the first or second level. */
  private value(byte: number): void {
    const isNull = byte === NULL
    if (this.key === 'data') {
      const isPart = this.depth === 1 && byte === CURLY
      if (isPart) this.data = 'empty'
      else if (!isNull) this.data = 'some'
    }
    // an empty list contains no errors
    if (this.key === 'errors' && !isNull && (this.depth === 2 || byte !== SQUARE)) this.hasErrors = true
  }

  private inText(byte: number): void {
    if (this.escaped) this.escaped = false
    else if (byte === BACKSLASH) this.escaped = true
    else if (byte === QUOTE) {
      this.inString = false
      if (this.keyBytes) this.key = unescaped(this.keyBytes)
      this.keyBytes = undefined
      return
    }
    if (this.keyBytes && this.keyBytes.length < KEY) this.keyBytes.push(byte)
  }
}

function unescaped(bytes: number[]): string {
  try {
    return JSON.parse(`"${Buffer.from(bytes).toString('utf8')}"`) as string
  } catch {
    return ''
  }
}
