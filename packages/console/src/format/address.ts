/** "did:op:4f2a…9c01" */
export function shortDid(did: string): string {
  return did.length > 24 ? `${did.slice(0, 11)}…${did.slice(-4)}` : did
}
