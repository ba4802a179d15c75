/** A range of bytes, both ends inclusive. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * Parses a Range header with a single range, for a file of `size` bytes (RFC 9110). Undefined if the whole file must be sent:
 * no header, several ranges, another unit. 'unsatisfiable' if the range is outside the file.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return undefined
  const [first, last] = [match[1] as string, match[2] as string]
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const range = { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
  if (last !== '' && Number(last) < range.start) return undefined
  return range.start >= size ? 'unsatisfiable' : range
}
