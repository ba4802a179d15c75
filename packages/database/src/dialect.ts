/** The databases, whose statements differ in places. */
export type Dialect = 'sqlite' | 'postgres'
