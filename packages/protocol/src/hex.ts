/** Bytes as 0x and hexadecimal digits. */
export type Hex = `0x${string}`

/** The 20 bytes of an account or contract, with checksum by letter case. */
export type Address = `0x${string}`
