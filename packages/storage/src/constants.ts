/** The first port that no privileged service has. */
export const FIRST_FREE_PORT = 1_024

/** The port of PostgreSQL, if its URL has none. */
export const POSTGRES_PORT = 5_432

/** Ids of array types of PostgreSQL (pg_type.dat), which its driver does not name. */
export const ARRAY_TYPES = {
  json: 199,
  bytea: 1_001,
  point: 1_017,
  timestamp: 1_115,
  date: 1_182,
  timestamptz: 1_185,
  interval: 1_187,
  jsonb: 3_807,
} as const
