/** Command names that modern clients sign; each route accepts its own alone. */
export type Command =
  | 'download'
  | 'downloadLink'
  | 'encrypt'
  | 'upload'
  | 'listUploads'
  | 'createAuthToken'
  | 'invalidateAuthToken'
  | 'decryptDDO'
  | 'validateDDO'

/** Returns the message that a modern client signs for a route: address and nonce as it sends them, and the command. */
export function modernMessage(address: string, nonce: string, command: Command): string {
  return address + nonce + command
}
