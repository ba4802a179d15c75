/** First number of this service's advisory locks in PostgreSQL. */
export const LOCK_SPACE = 0x71de

/** Random ids of rows are below this: exact in doubles, within the range of `randomInt`, and collisions are unlikely. */
export const RANDOM_IDS: number = 2 ** 47
