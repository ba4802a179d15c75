import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { assertFileNames, type FileObject, withLocationNames } from '@tidegate/client'
import { readTextFile } from '@tidegate/common'
import { misuse } from '@tidegate/provider/commands/failures'
import { CLI_LIMITS } from '../../limits.js'
import { shown } from '../output/text.js'
import { filesBelow, type LocalFile } from './source-folder.js'

/** A file to publish: a storage object, or a local file to upload. */
export type Source = { object: FileObject } | LocalFile

export interface SourceOptions {
  /** Whether hidden files of folders are taken too. */
  hidden?: true
  /** Whether no file gets a public name. */
  anonymousFiles?: true
}

const { descriptor: MAX_DESCRIPTOR } = CLI_LIMITS.files

/**
 * Reads SOURCE and --descriptor, in this order. A folder stands for the files below it, and a file at a location has the name
 * at its end. Throws CommandError, which quotes no secret of a descriptor, and TidegateError for too many files or names that
 * cannot be published.
 */
export function sourcesOf(
  sources: readonly string[],
  descriptors: readonly string[],
  { hidden = false, anonymousFiles = false }: { [K in keyof SourceOptions]: boolean } = {},
): Source[] {
  const named = [...sources.flatMap((text) => sourceOf(text, hidden)), ...descriptors.flatMap(fromDescriptor)]
  const found = anonymousFiles ? named.map(withoutName) : withNames(named)
  assertFileNames(found.map((source) => ('object' in source ? source.object.name : source.name)))
  return found
}

function withNames(sources: readonly Source[]): Source[] {
  const hosted = (name: unknown) => ({ type: 'hosted', ...(name === undefined ? {} : { name }) })
  const objects = withLocationNames(sources.map((one) => ('object' in one ? one.object : hosted(one.name))))
  return sources.map((one, at) => ('object' in one ? { object: objects[at] as FileObject } : one))
}

function withoutName(source: Source): Source {
  if (!('object' in source)) return { ...source, name: undefined }
  const { name: _, ...object } = source.object
  return { object: object as FileObject }
}

function sourceOf(text: string, hidden: boolean): Source | Source[] {
  if (/^https?:\/\//i.test(text)) {
    if (!URL.canParse(text)) throw misuse(`${shown(text)}: is not a URL.`)
    return { object: { type: 'url', url: text, method: 'GET' } }
  }
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]+):\/\/(.*)$/is.exec(text) ?? []
  if (scheme !== undefined && rest === '') throw misuse(`${shown(text)}: the location is empty.`)
  switch (scheme?.toLowerCase()) {
    case 'ipfs':
      return { object: { type: 'ipfs', hash: rest } }
    case 'ar':
      return { object: { type: 'arweave', transactionId: rest } }
    case 's3':
      return { object: s3(text, rest) }
    case undefined:
      break
    default:
      throw misuse(`${shown(text)}: pass a file of this kind as JSON with --descriptor.`)
  }
  const found = statSync(text, { throwIfNoEntry: false })
  if (!found) throw misuse(`${shown(text)}: is neither an existing file nor a URL.`)
  return found.isDirectory() ? filesBelow(text, hidden) : { path: text, name: basename(text) }
}

/** Returns an S3 object with the credentials of AWS's own variables. They are encrypted with the location. */
function s3(text: string, rest: string): FileObject {
  const [, bucket, key] = /^([^/]+)\/(.+)$/s.exec(rest) ?? []
  if (bucket === undefined) throw misuse(`${shown(text)}: must be s3://BUCKET/KEY.`)
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN } = process.env
  if (!accessKeyId || !secretAccessKey)
    throw misuse(
      `${shown(text)}: needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, with read access to this object only.`,
    )
  if (AWS_SESSION_TOKEN)
    throw misuse('AWS_SESSION_TOKEN is set: temporary credentials expire, and downloads would then fail.')
  const region = process.env.AWS_REGION || process.env.AWS_DEFAULT_REGION || 'us-east-1'
  const own = process.env.AWS_ENDPOINT_URL_S3 || process.env.AWS_ENDPOINT_URL
  const endpoint = own || `https://s3.${region}.amazonaws.com`
  return { type: 's3', endpoint, bucket, key, region, accessKeyId, secretAccessKey, forcePathStyle: Boolean(own) }
}

function fromDescriptor(path: string): Source[] {
  let text: string
  try {
    text = readTextFile(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw misuse(`--descriptor: ${shown(path)} ${code === 'ENOENT' ? 'does not exist' : `cannot be read: ${code}`}.`)
  }
  if (text.length > MAX_DESCRIPTOR) throw misuse(`--descriptor: ${shown(path)} is too long.`)
  const found = parsed(text)
  const objects = Array.isArray(found) ? found : [found]
  const isObject = (object: unknown) => typeof (object as FileObject | null)?.type === 'string'
  if (objects.length === 0 || !objects.every(isObject))
    throw misuse(`--descriptor: ${shown(path)} must hold a storage object, {"type": …}, or a list of them.`)
  return objects.map((object: FileObject) => ({ object }))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Describes a file without its secrets: its location and its public name. */
export function sourceText(source: Source): string {
  if ('path' in source) return `${shown(source.path)}, ${source.known ? 'which is there already' : 'from this machine'}`
  const { name } = source.object
  return typeof name === 'string' ? `${locationText(source.object)}, named ${shown(name)}` : locationText(source.object)
}

function locationText({ type, url, hash, transactionId, bucket, key }: FileObject): string {
  if (type === 'url' && typeof url === 'string' && URL.canParse(url)) {
    const { origin, pathname, search } = new URL(url)
    return shown(origin + pathname + (search && '?…'))
  }
  if (type === 'ipfs') return `ipfs://${shown(String(hash))}`
  if (type === 'arweave') return `ar://${shown(String(transactionId))}`
  if (type === 's3') return `s3://${shown(`${bucket}/${key}`)}`
  return `a file of kind ${shown(type)}`
}
