/** Limits on responses of a provider or node, in size and in time, each with its reason. */
export const LIMITS = {
  /** Bytes of a JSON or text answer: a page of search results has 8 MiB at most. */
  answer: 16_777_216,
  /** Bytes of a refusal that are read: honest ones are a sentence or two. */
  refusal: 65_536,
  /** Characters of a message from the provider that are shown. */
  message: 500,
  /** Milliseconds for a request and its whole answer. A provider describes files for half a minute at most. */
  deadline: 60_000,
  /** Milliseconds until the headers of a file are there: the provider may wait for an order to be mined, and asks the storage. */
  headers: 120_000,
  /** Milliseconds without a byte after which a connection has stalled and is closed. */
  stall: 60_000,
  /** Retries in a row of a transfer that makes little or no progress. */
  retries: 10,
  /** Retries before the first byte: an unavailable file should be reported soon. */
  firstRetries: 2,
  /** Bytes of progress after which the count of failures starts again. */
  progress: 65_536,
  /** Milliseconds between attempts: the first pause, which doubles, and the longest. */
  pause: { first: 250, longest: 15_000 },
  /** The longest Retry-After that is honoured, in seconds. */
  retryAfter: 120,
  /** Times that a download restarts because the file has changed. */
  restarts: 3,
  /** Bytes of a file that is put together in memory, unless the caller says otherwise. */
  blob: 1_073_741_824,
  /** Bytes of a file name in UTF-8: file systems take 255, with the endings that are added. */
  fileName: 200,
  /** Bytes of a part of an upload: the first, which passes proxies with their usual limit, the largest and the smallest. */
  part: { first: 1_048_576, largest: 8_388_608, least: 262_144 },
  /** Milliseconds for a part of an upload: 8 MiB at 28 KB/s. A smaller part follows one that took longer. */
  partTime: 300_000,
  /** Milliseconds within which a part arrives where a larger one may follow. */
  partFast: 5_000,
  /** Attempts of a signed request whose nonce another one of the same account has overtaken. */
  nonceAttempts: 20,
} as const
