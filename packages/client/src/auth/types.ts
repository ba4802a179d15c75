/** A provider's parameters for sign-in messages. A message names its provider, so no other provider can use it. */
export interface SignIn {
  chainIds: number[]
  /** Longest lifetime of a token in seconds. */
  maxLifetime: number
  /** Lifetime of a download link in seconds. */
  linkLifetime: number
}

export interface Token {
  /** The value for `token` of `createTidegate` and for the header `AuthToken`. A secret. */
  token: string
  expires: Date
}
