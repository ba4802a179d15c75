/**
 * Every limit on what comes from outside that an operator need not set: in size, in count and in time, each with its
 * unit and its reason. Readers take their limits from here and nowhere else. What operators may set is in config/.
 */
export const BOUNDS = {
  http: {
    /** Requests of one connection in flight. Clients that pipeline at all send a few; further ones are refused. */
    pipelined: 16,
    /** Addresses whose use of a budget is remembered. Older ones are evicted, which forgives them. */
    trackedAddresses: 100_000,
  },
  describing: {
    /** Milliseconds for which what was found out about a published file is given again, whoever asks. */
    timeToLive: 60_000,
    /** The same where the file could not be had: it may be back soon. */
    failureTimeToLive: 5_000,
    /** Descriptions that are kept, and the characters of the file lists that they are compared with. */
    kept: 10_000,
    size: 16_777_216,
    /** Files of one list that are looked at at once: one request must not become many. */
    inFlight: 8,
  },
  sql: {
    /** Bytes of all that a server says beside rows: login, columns, notices. A table of 1,600 columns takes 150 KB of it. */
    aside: 262_144,
    /** Bytes of a column's name. PostgreSQL has 63, others a few more. */
    columnName: 1024,
    /** Bytes of a row, where an order is behind it, and where anybody may ask. What is larger is a file, not a row. */
    row: { paid: 8_388_608, anonymous: 1_048_576 },
    /** Rows that are asked for at once: few, since nothing stops a server within them. */
    rows: 16,
    /** Characters of a number, a date or another short value, which libraries read in quadratic time. */
    short: 128,
    /** Characters of one row that have to be parsed (all but text; arrays count four times): parsing holds the event loop. */
    parsed: 1_048_576,
    /** Levels of JSON within JSON: reading deep text takes several times as long as flat text. */
    depth: 200,
  },
  ftp: {
    /** Bytes of all replies of one control connection. A session takes some 3 KB, a long greeting included. */
    replies: 65_536,
  },
} as const
