import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { BOUNDS } from '../../../bounds.js'
import { JsonBoundsError, parseJson } from '../../../json.js'
import { IndexFileError } from './format.js'

const NEWLINE = 0x0a

/**
 * Writes objects as lines of a compressed file, and after them a last one with the SHA-256 of those before it, which is
 * returned as hex. Rejects with the errors of the objects and of the file system.
 */
export async function writeLines(path: string, objects: AsyncIterable<object>): Promise<string> {
  const hash = createHash('sha256')
  let sha256 = ''
  async function* chunks(): AsyncGenerator<string> {
    let chunk = ''
    for await (const object of objects) {
      chunk += `${JSON.stringify(object)}\n`
      if (chunk.length < BOUNDS.indexFile.chunk) continue
      hash.update(chunk)
      yield chunk
      chunk = ''
    }
    hash.update(chunk)
    sha256 = hash.digest('hex')
    yield `${chunk}${JSON.stringify({ kind: 'end', sha256 })}\n`
  }
  await pipeline(Readable.from(chunks()), createGzip(), createWriteStream(path, { flags: 'r+' }))
  return sha256
}

/** A line of a file. */
export interface Line {
  /** From 1. */
  at: number
  /** In bytes. */
  size: number
  json: unknown
  /** SHA-256 of the lines before it, as hex; to be asked for before the next line is. */
  digestBefore(): string
}

/**
 * Reads the lines of a compressed file in bounded memory, whatever it holds. Throws IndexFileError where it is not of
 * that form, and the errors of the file system.
 */
export async function* readLines(path: string): AsyncGenerator<Line> {
  const hash = createHash('sha256')
  let at = 0
  for await (const bytes of rawLines(path)) {
    at += 1
    yield { at, size: bytes.length, json: parsed(bytes, at), digestBefore: () => hash.copy().digest('hex') }
    hash.update(bytes).update('\n')
  }
}

async function* rawLines(path: string): AsyncGenerator<Buffer> {
  let [parts, length, at]: [Buffer[], number, number] = [[], 0, 1]
  for await (const chunk of unzipped(path)) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)])
      ;[parts, length, from] = [[], 0, end + 1]
      at += 1
    }
    const rest = chunk.subarray(from)
    length += rest.length
    if (length > BOUNDS.indexFile.line)
      throw new IndexFileError(`line ${at}: must not be longer than ${BOUNDS.indexFile.line} bytes.`)
    if (rest.length > 0) parts.push(rest)
  }
  if (length > 0) throw new IndexFileError(`line ${at}: is cut off.`)
}

async function* unzipped(path: string): AsyncGenerator<Buffer> {
  const output = createGunzip()
  // it rejects with what the iteration throws
  pipeline(createReadStream(path), output).catch(() => undefined)
  try {
    for await (const chunk of output) yield chunk as Buffer
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'Z_BUF_ERROR') throw new IndexFileError('the file is cut off.')
    if (code?.startsWith('Z_')) throw new IndexFileError('the file is not compressed by gzip, or is damaged.')
    throw error
  }
}

function parsed(bytes: Buffer, at: number): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes), BOUNDS.indexFile)
  } catch (error) {
    const reason = error instanceof JsonBoundsError ? error.message : 'is not JSON text'
    throw new IndexFileError(`line ${at}: ${reason}.`)
  }
}
