/** Bytes of the record at the end of a ZIP archive without a comment, which begins with PK\5\6. */
const RECORD = 22
const BEGINNING = [0x50, 0x4b, 0x05, 0x06]

/** The last bytes of a ZIP archive, which tell a complete one from one that was cut off: its length is unknown. */
export class ArchiveEnd {
  private last: number[] = []

  add(piece: Uint8Array): void {
    this.last = [...this.last, ...piece.subarray(-RECORD)].slice(-RECORD)
  }

  get isComplete(): boolean {
    return this.last.length === RECORD && BEGINNING.every((byte, at) => this.last[at] === byte)
  }
}
