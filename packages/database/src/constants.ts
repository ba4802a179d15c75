/** First number of this service's advisory locks in PostgreSQL. */
export const LOCK_SPACE = 0x71de
