import fc from 'fast-check'
import { BOUNDARY_NUMBERS, EDGE_CASE_NAMES, edgeCaseJson, edgeCaseText } from './odd.js'

/** One mutation: where, by which rule, and with what. All are fractions or values, so that they shrink to none. */
interface Edit {
  /** Which place in a value, and the offset in it, both from 0 to 1. */
  at: number
  into: number
  rule: number
  /** Repetitions, or depth of nesting. */
  times: number
  text: string
  json: unknown
}

const fraction = () => fc.double({ min: 0, max: 1, noNaN: true })
const edits = (max: number) =>
  fc.array(
    fc.record<Edit>({
      at: fraction(),
      into: fraction(),
      rule: fc.nat({ max: 999 }),
      times: fc.constantFrom(2, 3, 10, 33, 101, 1001, 5000),
      text: edgeCaseText(),
      json: edgeCaseJson(),
    }),
    { maxLength: max },
  )

/** Mutates valid values: parts are removed, duplicated, replaced, moved, repeated, nested too deeply or renamed. */
export function mutated<T>(honest: fc.Arbitrary<T>, max = 4): fc.Arbitrary<T> {
  return fc.tuple(honest, edits(max)).map(([value, list]) => {
    let root = copyOf(value)
    for (const edit of list) root = applyEdit(root, edit)
    return root as T
  })
}

/** Mutates characters of valid text. */
export function mutatedText(honest: fc.Arbitrary<string>, max = 4): fc.Arbitrary<string> {
  return fc.tuple(honest, edits(max)).map(([text, list]) => list.reduce(changedText, text))
}

/** Mutates valid bytes. */
export function mutatedBytes(honest: fc.Arbitrary<Uint8Array>, max = 4): fc.Arbitrary<Uint8Array> {
  return fc.tuple(honest, edits(max)).map(([bytes, list]) => list.reduce(changedBytes, bytes))
}

/** Mutates the values of valid JSON, sometimes its characters as well, and returns its text. */
export function mutatedJson(honest: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const text = mutated(honest).map((value) => JSON.stringify(value) ?? 'undefined')
  return fc.oneof({ arbitrary: text, weight: 3 }, { arbitrary: mutatedText(text, 2), weight: 1 })
}

type Holder = Record<string, unknown> | unknown[]
/** A place in a value: the containing object or list, and the name in it. */
type Place = [holder: Holder, name: string]

/** Limit of places in one value that are considered. */
const MAX_PLACES = 2000

function placesOf(root: Holder): Place[] {
  const places: Place[] = []
  const holders: Holder[] = [root]
  for (let holder = holders.pop(); holder && places.length < MAX_PLACES; holder = holders.pop())
    for (const name of Object.keys(holder).slice(0, MAX_PLACES)) {
      places.push([holder, name])
      const inner = (holder as Record<string, unknown>)[name]
      if (isHolder(inner)) holders.push(inner)
    }
  return places
}

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
}

/** Sets an own property, even __proto__. */
function put(holder: object, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, enumerable: true, writable: true, configurable: true })
}

function applyEdit(root: unknown, edit: Edit): unknown {
  const outer = { root }
  const places = placesOf(outer)
  const pick = (at: number) => places[Math.min(places.length - 1, Math.floor(at * places.length))] as Place
  const [holder, name] = pick(edit.at)
  const value = (holder as Record<string, unknown>)[name]
  const [other, otherName] = pick(edit.into)
  const rules: (() => unknown)[] = [
    () => put(holder, name, copyOf(edit.json)),
    () => (Array.isArray(holder) ? holder.splice(Number(name), 1) : delete holder[name]),
    () => put(holder, name, duplicateOf((other as Record<string, unknown>)[otherName])),
    () => put(holder, name, nested(value, edit.times)),
    () => put(holder, name, repeated(value, edit.times)),
    () => isHolder(value) && !Array.isArray(value) && put(value, edgeCaseName(edit), copyOf(edit.json)),
    () => !Array.isArray(holder) && holder !== outer && rename(holder, name, edgeCaseName(edit)),
    () => put(holder, name, sameTypeMutant(value, edit)),
    () => put(holder, name, sameTypeMutant(value, edit)),
    () => put(holder, name, sameTypeMutant(value, edit)),
  ]
  rules[edit.rule % rules.length]?.()
  return outer.root
}

/** A copy, or null if the value is too large to be duplicated. */
function duplicateOf(value: unknown): unknown {
  return sizeOf(value) > MAX_SIZE ? null : copyOf(value)
}

function edgeCaseName({ into, text }: Edit): string {
  const at = Math.floor(into * (EDGE_CASE_NAMES.length + 2))
  return EDGE_CASE_NAMES[at] ?? text
}

function rename(holder: Record<string, unknown>, from: string, to: string): void {
  const value = holder[from]
  delete holder[from]
  put(holder, to, value)
}

/** Deeper values could not be serialized as JSON; deeper text comes from repeated brackets. */
const MAX_DEPTH = 250

function nested(value: unknown, depth: number): unknown {
  let outer = value
  for (let left = Math.min(depth, MAX_DEPTH); left > 0; left--) outer = left % 2 === 0 ? [outer] : { a: outer }
  return outer
}

/** Repeats a value in separate copies, so that a later mutation of one does not change the others. */
function repeated(value: unknown, times: number): unknown {
  const count = Math.min(times, Math.floor(MAX_SIZE / sizeOf(value)) + 1)
  const copies = () => Array.from({ length: count }, () => copyOf(value))
  if (typeof value === 'string') return value.repeat(count)
  if (Array.isArray(value)) return copies().flat(1)
  if (!isHolder(value)) return copies()
  return {
    ...value,
    ...Object.fromEntries(copies().map((copy, at) => [`k${at}`, Object.values(copy as object)[0]])),
  }
}

/** Characters to which one mutation may grow a value. */
const MAX_SIZE = 500_000

/** The approximate length of a value as JSON; stops counting above MAX_SIZE. */
function sizeOf(value: unknown): number {
  let size = 0
  const stack = [value]
  while (stack.length > 0 && size <= MAX_SIZE) {
    const one = stack.pop()
    size += typeof one === 'string' || one instanceof Uint8Array ? one.length + 2 : 4
    if (isHolder(one)) for (const part of Object.values(one)) stack.push(part)
  }
  return size
}

/** A mutation that preserves the type. */
function sameTypeMutant(value: unknown, edit: Edit): unknown {
  if (typeof value === 'string') return changedText(value, edit)
  if (value instanceof Uint8Array) return changedBytes(value, edit)
  if (typeof value === 'number') return BOUNDARY_NUMBERS[Math.floor(edit.into * BOUNDARY_NUMBERS.length)] ?? -value
  if (typeof value === 'bigint') return [0n, -value, value + 1n, 2n ** 64n, 2n ** 256n - 1n, 10n ** 30n][edit.rule % 6]
  if (typeof value === 'boolean') return !value
  return copyOf(edit.json)
}

function changedText(text: string, edit: Edit): string {
  const { at, into, rule, times } = edit
  const [from, to] = [Math.floor(Math.min(at, into) * text.length), Math.ceil(Math.max(at, into) * text.length)]
  const part = text.slice(from, to)
  const rules: (() => string)[] = [
    () => text.slice(0, to),
    () => text.slice(from),
    () => text.slice(0, from) + text.slice(to),
    () => text.slice(0, from) + edit.text + text.slice(from),
    () => text.slice(0, from) + edit.text + text.slice(to),
    () => text.slice(0, to) + part.repeat(Math.min(times, Math.ceil(200_000 / (part.length + 1)))) + text.slice(to),
    () => text.slice(0, from) + String.fromCharCode(Math.floor(into * 0x180)) + text.slice(from + 1),
    () => text.slice(0, from) + part.toUpperCase() + text.slice(to),
  ]
  return rules[rule % rules.length]?.() ?? text
}

function changedBytes(bytes: Uint8Array, edit: Edit): Uint8Array {
  const { at, into, rule, times } = edit
  const [from, to] = [Math.floor(Math.min(at, into) * bytes.length), Math.ceil(Math.max(at, into) * bytes.length)]
  const part = bytes.subarray(from, to)
  const repeats = Array<Uint8Array>(Math.min(times, Math.ceil(200_000 / (part.length + 1)))).fill(part)
  const replaced = (byte: number) => Buffer.concat([bytes.subarray(0, from), Buffer.of(byte), bytes.subarray(from + 1)])
  const rules: (() => Uint8Array)[] = [
    () => bytes.subarray(0, to),
    () => bytes.subarray(from),
    () => Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]),
    () => Buffer.concat([bytes.subarray(0, from), Buffer.from(edit.text), bytes.subarray(from)]),
    () => Buffer.concat([bytes.subarray(0, to), ...repeats, bytes.subarray(to)]),
    () => replaced([0, 1, 0x7f, 0x80, 0xff, times & 0xff][edit.rule % 6] as number),
    () => replaced((bytes[from] ?? 0) ^ (1 << (times % 8))),
    () => replaced(Math.floor(into * 256)),
  ]
  return rules[rule % rules.length]?.() ?? bytes
}

/** A deep copy; without it a part could be shared by several places. */
function copyOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? clone(value) : value
}

function clone(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value)
  if (Array.isArray(value)) return value.map(clone)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, clone(part)]))
}
