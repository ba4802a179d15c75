import type Database from 'libsql'
import { StateError } from '../errors.js'

/** Runs database steps and turns whatever one throws into the one error that means "nothing was accepted". */
export type Guard = <T>(step: () => T) => Promise<T>

export function guardOf(db: Database.Database): Guard {
  return async (step) => {
    try {
      // prepared statements of this library go on working after their database was closed
      if (!db.open) throw new Error('closed')
      return step()
    } catch {
      throw new StateError('STATE_UNAVAILABLE', 'The state store cannot be used now.')
    }
  }
}

/** The first row, if there is one, with the columns alone: the library adds a field of its own. */
export function firstRow<T>(statement: Database.Statement, ...parameters: (string | number)[]): T | undefined {
  const row = statement.get(...parameters) as (T & { _metadata?: unknown }) | undefined
  if (row) delete row._metadata
  return row
}

/** A statement with named parameters, and their names. */
export interface Binding {
  statement: Database.Statement
  names: string[]
}

export function named(db: Database.Database, text: string): Binding {
  return {
    statement: db.prepare(text),
    names: [...new Set([...text.matchAll(/:(\w+)/g)].map((match) => match[1] as string))],
  }
}

/** Binds by name; objects may carry more fields than a statement uses, so only its own are passed. */
export function run({ statement, names }: Binding, values: object): void {
  const own = values as Record<string, string>
  statement.run(Object.fromEntries(names.map((name) => [name, own[name]])))
}
