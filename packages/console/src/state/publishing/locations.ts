import type { FileObject } from '@tidegate/client'
import { TidegateError } from '@tidegate/client'
import { plainLine } from '../../format/hostile.js'
import { CONSOLE_LIMITS } from '../../limits.js'
import { reading } from '../context.js'
import { addFiles, editFile, type LocatedFile } from './draft.js'

export interface Located {
  object: FileObject
  label: string
}

/** Reads a location: an http(s) URL, `ipfs://CID`, `ar://TX`, or a storage object as JSON. */
export function locationOf(input: string): Located | { problem: 'empty' | 'unknown' | 'json' | 'url' } {
  const text = input.trim()
  if (text === '' || text.length > CONSOLE_LIMITS.fields.location) return { problem: 'empty' }
  if (text.startsWith('{')) return descriptorOf(text)
  if (/^https?:\/\//i.test(text)) {
    if (!URL.canParse(text)) return { problem: 'url' }
    const { origin, pathname, search } = new URL(text)
    return { object: { type: 'url', url: text, method: 'GET' }, label: plainLine(origin + pathname + (search && '?…')) }
  }
  const [, scheme, rest = ''] = /^([a-z]+):\/\/(\S+)$/i.exec(text) ?? []
  if (scheme?.toLowerCase() === 'ipfs')
    return { object: { type: 'ipfs', hash: rest }, label: plainLine(`ipfs://${rest}`) }
  if (scheme?.toLowerCase() === 'ar')
    return { object: { type: 'arweave', transactionId: rest }, label: plainLine(`ar://${rest}`) }
  return { problem: 'unknown' }
}

function descriptorOf(text: string): Located | { problem: 'json' } {
  try {
    const object = JSON.parse(text) as FileObject
    if (typeof object.type !== 'string') return { problem: 'json' }
    return { object, label: plainLine(object.type, 30) }
  } catch {
    return { problem: 'json' }
  }
}

let count = 0

/** Adds a file with a location, and lets the provider check it. */
export async function addLocation({ object, label }: Located): Promise<void> {
  const key = `at-${Date.now().toString(36)}-${count++}`
  const file: LocatedFile = { key, kind: 'location', label, object, status: 'checking' }
  addFiles([file])
  await checkLocation(file)
}

export async function checkLocation({ key, object }: LocatedFile): Promise<void> {
  editFile(key, { status: 'checking', error: undefined })
  try {
    const answer = await reading().api.post<Record<string, unknown>[]>('/api/services/fileinfo', object)
    const { valid, reason, contentLength, contentType } = answer?.[0] ?? {}
    const size = /^\d{1,15}$/.test(String(contentLength)) ? { size: Number(contentLength) } : {}
    const type = typeof contentType === 'string' ? { type: contentType } : {}
    if (valid === true) editFile(key, { status: 'good', ...size, ...type })
    else editFile(key, { status: 'bad', reason: typeof reason === 'string' ? reason : 'failed' })
  } catch (error) {
    editFile(key, { status: 'bad', reason: error instanceof TidegateError ? error.code : 'failed', error })
  }
}
