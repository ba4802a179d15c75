import { type AssetLink, linkedBy } from '@tidegate/protocol/asset'
import { PROVIDER_LIMITS } from '../limits.js'
import type { Answer } from './answers.js'
import { plainLine, plainLines } from './plain-text.js'
import type { PublicFile, Reader } from './reader.js'
import type { Input, Output } from './shapes.js'
import { ToolError } from './tool-error.js'
import { plainMedia } from './views.js'

const { preview: MOST, line } = PROVIDER_LIMITS.mcp

/** The reads of a preview. */
export type SampleReader = Pick<Reader, 'url' | 'document' | 'publicFile'>

/** Returns the first part of a sample that is text, or its type. Throws ToolError `NO_SAMPLE`. */
export async function preview(
  reader: SampleReader,
  { did, sample = 0 }: Input<'preview'>,
  signal: AbortSignal,
): Promise<Answer<Output<'preview'>>> {
  const samples = await samplesOf(reader, did, signal)
  const chosen = samples[sample]
  if (!chosen)
    throw new ToolError(
      'NO_SAMPLE',
      samples.length === 0 ? 'The asset has no samples.' : `There is no sample ${sample}.`,
    )
  const answer = await reader.publicFile(chosen.url.slice(reader.url.length), MOST, signal)
  const bytes = await firstBytes(answer.body)
  const size = sizeOf(answer.headers) ?? (bytes.length < MOST ? bytes.length : undefined)
  const isCut = size === undefined || size > bytes.length
  const contentType = plainMedia(answer.headers.get('content-type') ?? undefined)
  const text = textOf(bytes, isCut)
  const result = {
    ...{ did, sample, sampleCount: samples.length, kind: text === undefined ? ('binary' as const) : ('text' as const) },
    ...(contentType === undefined ? {} : { contentType }),
    ...(size === undefined ? {} : { size }),
    cut: isCut,
    untrusted: { name: plainLine(chosen.name, line), ...(text === undefined ? {} : { text: plainLines(text, MOST) }) },
  }
  return { result, smaller }
}

/** Returns the samples of an asset: links to public files of this provider. Nothing else that a publisher names is requested. */
async function samplesOf(reader: SampleReader, did: string, signal: AbortSignal): Promise<AssetLink[]> {
  const document = await reader.document(did, signal)
  return linkedBy(reader.url, { document }).links.filter(({ isHere }) => isHere)
}

/** Halves the text: as JSON it may be several times as long. */
function smaller(result: Output<'preview'>): Output<'preview'> | undefined {
  const { text = '' } = result.untrusted
  if (text.length < 2) return undefined
  return { ...result, cut: true, untrusted: { ...result.untrusted, text: plainLines(text, text.length / 2) } }
}

async function firstBytes(body: PublicFile['body']): Promise<Uint8Array> {
  const reader = body?.getReader()
  const parts: Uint8Array[] = []
  let left = MOST
  while (reader && left > 0) {
    const { done, value } = await reader.read()
    if (done) break
    if (value) parts.push(value.subarray(0, left))
    left -= value?.length ?? 0
  }
  reader?.cancel().catch(() => undefined)
  return Buffer.concat(parts)
}

function sizeOf(headers: PublicFile['headers']): number | undefined {
  const told = /\/(\d{1,15})$/.exec(headers.get('content-range') ?? '')?.[1] ?? headers.get('content-length')
  return told && /^\d{1,15}$/.test(told) ? Number(told) : undefined
}

/** Returns UTF-8 text; undefined for other bytes. */
function textOf(bytes: Uint8Array, isCut: boolean): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    // a cut may split the last character
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
  } catch {
    return undefined
  }
}
