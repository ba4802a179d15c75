import { type AbiFunction, type AbiParameter, decodeAbiParameters, type Hex, hexToBytes } from 'viem'

export interface DecodeLimits {
  /** Bytes read, counted at each visit. */
  result: number
  /** Visits of values, weighted by the size of the type. */
  steps: number
}

/**
 * Decodes the result of a contract call to JSON: null without outputs, the value of a single output, else an object by name, or a
 * list if a name is missing. Big integers become strings. `abi` must come from readFunctionAbi. Runs in threads too.
 * @throws Error if the data do not fit the types, or decoding would exceed the limits
 */
export function decodeContractResult(abi: AbiFunction, data: Hex, limits: DecodeLimits): string {
  if (abi.outputs.length === 0) return 'null'
  const bytes = hexToBytes(data)
  new Measure(bytes, limits).heads(abi.outputs.map(shapeOf), 0, 0)
  const values = decodeAbiParameters(abi.outputs, bytes)
  return JSON.stringify(named(values, abi), (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}

function named(values: readonly unknown[], { outputs }: AbiFunction): unknown {
  if (values.length === 1) return values[0]
  if (outputs.some((output) => !output.name)) return values
  return Object.fromEntries(outputs.map((output, index) => [output.name, values[index]]))
}

/** The encoding of a type. */
interface Shape {
  kind: 'word' | 'text' | 'tuple' | 'array'
  /** Whether the head holds an offset to the value (a dynamic type). */
  dynamic: boolean
  /** Number of types inside, including itself. A decoder visits all of them for each value. */
  weight: number
  /** Components of a tuple, or the element of an array. */
  inner: Shape[]
  /** Elements of a fixed-size array. */
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
 * Walks a result like a decoder, without allocations, and sums the cost of decoding. A hostile result repeats offsets, so that a few
 * kilobytes decode to gigabytes. So every visit counts, including that of a type.
 */
class Measure {
  private readonly view: DataView
  private bytes: number
  private steps: number

  constructor(bytes: Uint8Array, { result, steps }: DecodeLimits) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.bytes = result
    this.steps = steps
  }

  /** Measures consecutive values at `at` with offsets relative to `base`. Returns the bytes of their heads. */
  heads(shapes: readonly Shape[], base: number, at: number): number {
    let length = 0
    for (const shape of shapes) length += this.value(shape, base, at + length)
    return length
  }

  private value(shape: Shape, base: number, at: number): number {
    this.steps -= shape.weight
    if (this.steps < 0) throw tooExpensive()
    if (shape.kind === 'word') return this.consume(at, WORD)
    if (!shape.dynamic) return this.values(shape, base, at)
    const start = base + this.word(at)
    if (shape.kind === 'text') this.consume(start + WORD, this.word(start))
    else this.values(shape, start, start)
    return WORD
  }

  /** Measures the values of a tuple or an array. */
  private values({ kind, inner, length }: Shape, base: number, at: number): number {
    if (kind === 'tuple') return this.heads(inner, base, at)
    const [element] = inner as [Shape]
    if (length === undefined) return this.repeated(element, this.word(at), base + WORD, at + WORD)
    return this.repeated(element, length, base, at)
  }

  private repeated(element: Shape, count: number, base: number, at: number): number {
    let length = 0
    for (let index = 0; index < count; index++) length += this.value(element, base, at + length)
    return length
  }

  /** Reads a word as a number: an offset or a length. */
  private word(at: number): number {
    this.consume(at, WORD)
    for (let offset = 0; offset < WORD - 4; offset += 4) if (this.view.getUint32(at + offset) !== 0) throw truncated()
    return this.view.getUint32(at + WORD - 4)
  }

  private consume(at: number, length: number): number {
    if (at + length > this.view.byteLength) throw truncated()
    this.bytes -= length
    if (this.bytes < 0) throw tooExpensive()
    return length
  }
}

function truncated(): Error {
  return new Error('The result is truncated.')
}

function tooExpensive(): Error {
  return new Error('The result is too expensive to decode.')
}
