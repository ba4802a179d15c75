/** Bytes as 0x and hexadecimal digits. */
export type Hex = `0x${string}`

/** The 20 bytes of an account or contract, in the mixed case that is its checksum. */
export type Address = `0x${string}`
