/** Command names in signed messages of modern clients. Each route accepts one. */
export type Command =
  | 'download'
  | 'downloadLink'
  | 'encrypt'
  | 'encryptVersion'
  | 'upload'
  | 'listUploads'
  | 'createAuthToken'
  | 'invalidateAuthToken'
  | 'decryptDDO'
  | 'validateDDO'
  | 'PolicyServerInitialize'

/** Returns the message that a modern client signs for a route: the address and nonce of the request, and the command. */
export function modernMessage(address: string, nonce: string, command: Command): string {
  return address + nonce + command
}
