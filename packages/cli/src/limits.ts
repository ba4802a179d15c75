/** The limits of this package, each with its unit and reason. */
export const CLI_LIMITS = {
  agent: {
    /** Milliseconds for an answer of the user. */
    answer: 600_000,
    /** Characters of terms in a question to the user. */
    terms: 3_000,
    /** Milliseconds of a purchase, with the answer of the user, and of a download, which resumes when it is called again. */
    deadlines: { buy: 900_000, get: 3_600_000 },
    /** Milliseconds for which a reserved payment may be used, before its end is known: to sign within the time of `buy`, and 15 minutes of validity. */
    unsigned: 1_860_000,
    /** Bytes of the reservations of a day: hundreds of thousands of purchases. */
    day: 67_108_864,
  },
  texts: {
    /** Characters of a description that are shown. */
    description: 2_000,
    /** Characters of a line of JSON: those of a path of a publisher, and the facts of its file. */
    line: 16_384,
  },
  files: {
    /** Bytes of a public file: the provider's limit. */
    publicFile: 5_242_880,
    /** Files below a folder that are listed, so that a mistaken / ends soon. The provider's limit is lower. */
    listed: 200_000,
    /** Characters of a descriptor: real storage objects are far shorter. */
    descriptor: 1_048_576,
    /** Bytes of the notes of a partial download. */
    notes: 65_536,
    /** Bytes of the manifest of a folder: some versions of an asset with the most files. */
    manifest: 67_108_864,
    /** Bytes of the saved choice of `tidegate use`: two URLs. */
    kept: 65_536,
    /** Bytes of a signed payment: contract wallets have signatures of some kilobytes. */
    payment: 65_536,
    /** Kept sessions of presented credentials of an account, and bytes of their file: an entry has hundreds. */
    sessions: 200,
    sessionBytes: 262_144,
    /** Bytes of the note of a local network. */
    network: 4_096,
    /** Characters of a keystore or password file: real ones are far shorter. */
    secret: 65_536,
  },
  waiting: {
    /** Milliseconds for the provider's index to read a transaction. */
    index: 60_000,
    /** Milliseconds between two lines of progress without a terminal, and of the period of the rate. */
    progress: { line: 10_000, rate: 5_000 },
    /** Milliseconds for an interrupted command to close its files. */
    settling: 5_000,
  },
} as const
