/** Explanations of signatures, before the wallet opens. */
export const signingText = {
  title: 'Sign in with your wallet',
  message: (host: string) =>
    `Your wallet shows a message that names ${host}. Signing it costs nothing and moves nothing.`,
  covers: 'It covers downloads, links and uploads of this account, usually for an hour.',
  hashTitle: 'Your wallet will show a hash',
  hash: 'A message that you can read must name the public address of this provider, and its operator has not configured that address. Your wallet shows a hash instead: of your address, a number and the word createAuthToken.',
  hashCovers:
    'Signing it costs nothing and moves nothing. It names no provider: continue only if you trust this one. It covers downloads, links and uploads of this account, usually for an hour.',
  open: 'Continue in the wallet',
} as const
