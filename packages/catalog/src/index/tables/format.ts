import type { Cursor } from '../index-store.js'

/** The format of a generation's rows. Raised by a change that needs every block read again: it rebuilds each index of another format. */
const FORMAT = 1

/** Returns the mark of a position that was written in the current format. */
export const markOf = ({ block, hash, part }: Cursor): string =>
  `${FORMAT} ${block} ${hash}${part ? ` ${part.hash} ${part.log}` : ''}`

// the same of a row
const MARK = `'${FORMAT} ' || block || ' ' || hash || coalesce(' ' || part_hash || ' ' || part_log, '')`

/**
 * Returns SQL for the mark of a cursor that moves. There is none if an earlier version moved the cursor: it wrote fewer kinds of rows, and
 * left the mark of another position.
 */
export const nextMark = (mark: string): string => `CASE WHEN format_mark = ${MARK} THEN ${mark} END`

/** Returns SQL for whether the current format has written all rows of a generation. */
export const isComplete = (id: string): string =>
  `EXISTS (SELECT 1 FROM index_cursor WHERE index_cursor.chain_id = ${id} AND format_mark = ${MARK})`
