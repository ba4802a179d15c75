/**
 * Removes an item from a list. Returns whether the list had it.
 *
 * Objects of single requests are held in lists, not in a Set. V8 links each table that a Set has outgrown to the next one: if
 * one of them lives long, collections of young objects keep every later table, with all that it held.
 */
export function removeFrom<T>(list: T[], item: T): boolean {
  const index = list.indexOf(item)
  if (index < 0) return false
  list.splice(index, 1)
  return true
}
