import { ethers } from 'ethers'
import type { Recorded } from '../helpers/recorder.js'

/** A recorded request with `{{name}}` for values that differ from run to run, and how it was answered. */
export interface Request {
  method: string
  url: string
  headers: Record<string, string>
  body?: unknown
  status: number
  /** The fields of a JSON answer, or of the first element of a list. */
  fields?: string[]
}

/** The requests of one generation, by call, in the order of the calls. */
export interface Generation {
  library: string
  calls: Record<string, Request[]>
}

/** A generation in its file, which has each set of headers once. */
export interface Fixture {
  library: string
  headers: Request['headers'][]
  /** `headers`: the index of a set. */
  calls: Record<string, (Omit<Request, 'headers'> & { headers: number })[]>
}

const mapCalls = <A, B>(calls: Record<string, A[]>, change: (request: A) => B) =>
  Object.fromEntries(Object.entries(calls).map(([call, requests]) => [call, requests.map(change)]))

/** Returns the form of a generation in its file. */
export function toFixture({ library, calls }: Generation): Fixture {
  const all = Object.values(calls).flat()
  const sets = [...new Set(all.map(({ headers }) => JSON.stringify(headers)))]
  const packed = mapCalls(calls, (one) => ({ ...one, headers: sets.indexOf(JSON.stringify(one.headers)) }))
  return { library, headers: sets.map((set) => JSON.parse(set)), calls: packed }
}

/** Reads the text of a file. */
export function readFixture(text: string): Generation {
  const { library, headers, calls } = JSON.parse(text) as Fixture
  return { library, calls: mapCalls(calls, (one) => ({ ...one, headers: headers[one.headers] ?? {} })) }
}

/** The values of the placeholders `{{name}}`. */
export type Values = Record<string, string>

/** Headers that belong to the connection, not to the client. */
const OF_CONNECTION = ['host', 'connection', 'content-length', 'transfer-encoding']

/** Makes a fixture from the requests of one call. Of a request that was retried until it succeeded, keeps the last. */
export function templates(recorded: Recorded[], values: Values): Request[] {
  return recorded
    .filter(({ method, url }, at) => {
      const next = recorded[at + 1]
      return next?.url !== url || next.method !== method
    })
    .map((request) => template(request, values))
}

function template({ method, url, headers, body, status, answer }: Recorded, values: Values): Request {
  const proof = proofOf(url, body.toString())
  const named = { ...values, ...(proof.signature ? { [`signed ${signedParts(proof, values)}`]: proof.signature } : {}) }
  const own = Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name)) as [string, string][]
  const text = nonceNamed(replaced(body.toString(), named))
  return {
    method,
    url: nonceNamed(replaced(url, named)),
    headers: Object.fromEntries(own.map(([name, value]) => [name, replaced(value, named)])),
    ...(text === '' ? {} : { body: JSON.parse(text) }),
    status,
    ...fieldsOf(answer),
  }
}

/** Fills in the values of this run. `sign` signs a text. */
export async function filled(
  text: string,
  values: Values,
  sign: (message: string) => Promise<string>,
): Promise<string> {
  const names = new Set([...text.matchAll(/\{\{([^}]+)\}\}/g)].map(([, name]) => name as string))
  let result = text
  for (const name of names) {
    const parts = name.split(' ')
    const message = parts
      .slice(1)
      .map((part) => values[part] ?? part)
      .join('')
    const value = parts[0] === 'signed' ? await sign(message) : values[name]
    if (value === undefined) throw new Error(`A request holds {{${name}}}, of which there is no value.`)
    result = result.replaceAll(`{{${name}}}`, value)
  }
  return result
}

/** The fields of a JSON answer. */
export function fieldsOf(answer: string): { fields?: string[] } {
  try {
    const json = JSON.parse(answer)
    const object = Array.isArray(json) ? json[0] : json
    return object !== null && typeof object === 'object' ? { fields: Object.keys(object).sort() } : {}
  } catch {
    return {}
  }
}

function replaced(text: string, values: Values): string {
  const longestFirst = Object.entries(values).sort(([, a], [, b]) => b.length - a.length)
  return longestFirst.reduce((result, [name, value]) => result.replaceAll(value, `{{${name}}}`), text)
}

function nonceNamed(text: string): string {
  return text.replace(/([?&]nonce=)[^&]+/, '$1{{nonce}}').replace(/("nonce":")[^"]+/, '$1{{nonce}}')
}

interface Proof {
  nonce?: string
  signature?: string
}

function proofOf(url: string, body: string): Proof {
  const query = new URL(url, 'http://localhost').searchParams
  const find = (name: string) => query.get(name) ?? new RegExp(`"${name}":"([^"]+)"`).exec(body)?.[1]
  const [nonce, signature] = [find('nonce'), find('signature')]
  return { ...(nonce ? { nonce } : {}), ...(signature && signature !== 'null' ? { signature } : {}) }
}

const COMMANDS = ['download', 'encrypt', 'createAuthToken', 'invalidateAuthToken', 'validateDDO']

/** Finds which text was signed, by recovering the signer. Throws if it is none of the known texts. */
function signedParts({ nonce = '', signature = '' }: Proof, values: Values): string {
  const forms = [['did'], ['address'], ...COMMANDS.map((command) => ['address', command])]
  const found = forms.find(([subject = '', command = '']) => {
    const { arrayify, keccak256, stripZeros, toUtf8Bytes, verifyMessage } = ethers.utils
    const digest = arrayify(keccak256(toUtf8Bytes((values[subject] ?? '') + nonce + command)))
    // 8.6.2 drops leading zero bytes of the digest
    return [digest, stripZeros(digest)].some((form) => verifyMessage(form, signature) === values.address)
  })
  if (!found) throw new Error('A request is signed over a text of no known form.')
  const [subject, command] = found
  return [subject, 'nonce', command].filter((part) => part !== undefined).join(' ')
}
