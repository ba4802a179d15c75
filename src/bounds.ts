/** Limits on what comes from outside, each with its unit and the reason for it. */
export const BOUNDS = {
  headers: {
    /** Characters of an entity tag of a storage: servers write hashes and numbers, far shorter than this. */
    etag: 512,
    /** Characters of If-None-Match or If-Range: room for every tag that counts, in the form that is handed out. */
    condition: 8192,
    /** Tags in If-None-Match: nobody has more copies of one file, and each costs a few microseconds. */
    conditionTags: 10,
  },
} as const
