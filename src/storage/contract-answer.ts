import { type AbiFunction, type AbiParameter, decodeAbiParameters, type Hex, hexToBytes } from 'viem'

/** What decoding one answer may cost. */
export interface AnswerLimits {
  /** Bytes that are read, each time that they are. */
  answer: number
  /** Steps through values and their types. */
  steps: number
}

/**
 * What a function of a contract answered, as JSON: nothing as null, one output alone as its value, several as an object
 * by name, or as a list where a name is missing; big integers as text. `abi` was read by readFunctionAbi. Throws where
 * the answer is not of these types, or decoding it would cost more than the limits.
 *
 * A pure function of values that can be cloned, so that it can be run in another thread.
 */
export function contractAnswer(abi: AbiFunction, data: Hex, limits: AnswerLimits): string {
  if (abi.outputs.length === 0) return 'null'
  const bytes = hexToBytes(data)
  new Measure(bytes, limits).row(abi.outputs.map(shapeOf), 0, 0)
  const values = decodeAbiParameters(abi.outputs, bytes)
  return JSON.stringify(named(values, abi), (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}

function named(values: readonly unknown[], { outputs }: AbiFunction): unknown {
  if (values.length === 1) return values[0]
  if (outputs.some((output) => !output.name)) return values
  return Object.fromEntries(outputs.map((output, index) => [output.name, values[index]]))
}

/** How values of a type lie in an answer. */
interface Shape {
  kind: 'word' | 'text' | 'tuple' | 'array'
  /** Whether a value lies elsewhere, and its place is what stands in the row. */
  dynamic: boolean
  /** The types that it is made of, itself included: a decoder looks through them all at each value. */
  weight: number
  /** Of a tuple its components, of an array its element. */
  inner: Shape[]
  /** Elements of an array, where the type says so. */
  length?: number
}

function shapeOf({ type, ...rest }: AbiParameter): Shape {
  const array = /^(.*)\[(\d*)\]$/.exec(type)
  if (array) {
    const element = shapeOf({ ...rest, type: array[1] as string } as AbiParameter)
    const fixed = array[2] ? { length: Number(array[2]) } : {}
    return {
      kind: 'array',
      dynamic: !array[2] || element.dynamic,
      weight: 1 + element.weight,
      inner: [element],
      ...fixed,
    }
  }
  if (type === 'tuple') {
    const inner = (rest as { components: readonly AbiParameter[] }).components.map(shapeOf)
    const weight = inner.reduce((sum, shape) => sum + shape.weight, 1)
    return { kind: 'tuple', dynamic: inner.some(({ dynamic }) => dynamic), weight, inner }
  }
  const isText = type === 'string' || type === 'bytes'
  return { kind: isText ? 'text' : 'word', dynamic: isText, weight: 1, inner: [] }
}

const WORD = 32

/**
 * Goes through an answer as a decoder does, making nothing, and adds up what decoding would take. Lists in an answer
 * are lists of places, and a hostile one names the same place thousands of times, so that a few kilobytes decode to
 * gigabytes: every visit counts here, and what it costs to look at the type again.
 */
class Measure {
  private readonly view: DataView
  private bytes: number
  private steps: number

  constructor(bytes: Uint8Array, { answer, steps }: AnswerLimits) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.bytes = answer
    this.steps = steps
  }

  /** Values of these shapes one after the other, in a row whose places are counted from `base`; answers its bytes. */
  row(shapes: readonly Shape[], base: number, at: number): number {
    let length = 0
    for (const shape of shapes) length += this.value(shape, base, at + length)
    return length
  }

  private value(shape: Shape, base: number, at: number): number {
    this.steps -= shape.weight
    if (this.steps < 0) throw tooMuch()
    if (shape.kind === 'word') return this.skip(at, WORD)
    if (!shape.dynamic) return this.values(shape, base, at)
    const start = base + this.word(at)
    if (shape.kind === 'text') this.skip(start + WORD, this.word(start))
    else this.values(shape, start, start)
    return WORD
  }

  /** What a tuple or an array holds. */
  private values({ kind, inner, length }: Shape, base: number, at: number): number {
    if (kind === 'tuple') return this.row(inner, base, at)
    const [element] = inner as [Shape]
    if (length === undefined) return this.repeated(element, this.word(at), base + WORD, at + WORD)
    return this.repeated(element, length, base, at)
  }

  private repeated(element: Shape, count: number, base: number, at: number): number {
    let length = 0
    for (let index = 0; index < count; index++) length += this.value(element, base, at + length)
    return length
  }

  /** A word as a number: a place, or a length. */
  private word(at: number): number {
    this.skip(at, WORD)
    for (let offset = 0; offset < WORD - 4; offset += 4) if (this.view.getUint32(at + offset) !== 0) throw outside()
    return this.view.getUint32(at + WORD - 4)
  }

  private skip(at: number, length: number): number {
    if (at + length > this.view.byteLength) throw outside()
    this.bytes -= length
    if (this.bytes < 0) throw tooMuch()
    return length
  }
}

function outside(): Error {
  return new Error('The answer ends before its last value.')
}

function tooMuch(): Error {
  return new Error('The answer decodes to too much.')
}
