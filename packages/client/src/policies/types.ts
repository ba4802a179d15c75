/** A request for the wallet of a person, in which credentials are presented. */
export interface Presentation {
  did: string
  service: string
  /** The id of the session. It opens what is presented: keep it like a password. */
  session: string
  /** The link for a wallet, for example `openid4vp:`. Undefined if nothing is asked for. */
  request: string | undefined
  /**
   * Resolves when the credentials were presented and accepted. Throws TidegateError `POLICY_DENIED` with the reason, `TIMEOUT` if
   * nothing was presented in time, or the signal's reason.
   */
  presented(options?: WaitOptions): Promise<void>
}

export interface WaitOptions {
  /** Milliseconds to wait; fifteen minutes by default. */
  timeout?: number | undefined
  signal?: AbortSignal | undefined
}

export interface PresentOptions {
  /** Id of the service; by default the first that gives access. */
  service?: string | undefined
  signal?: AbortSignal | undefined
}
