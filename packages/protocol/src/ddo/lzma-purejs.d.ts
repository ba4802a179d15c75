declare module 'lzma-purejs' {
  interface ByteSource {
    /** The next byte, or -1 at the end. */
    readByte(): number
  }
  interface ByteSink {
    writeByte(byte: number): void
    flush(): void
  }
  const lzma: { decompressFile(input: ByteSource, output: ByteSink): unknown }
  export default lzma
}
