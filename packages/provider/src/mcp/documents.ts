import type { Context } from '@tidegate/client'

type Json = Record<string, unknown>

const fieldsOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}

/** Most links of a document that are read. */
const LINKS = 100

/** A sample of an asset: a public hosted file of this provider. */
export interface Sample {
  /** Path below the provider's URL. */
  path: string
  /** Untrusted. */
  name: string
}

/** Reads the samples of an asset from its document. Throws TidegateError. */
export async function samplesOf({ api }: Context, did: string, signal: AbortSignal): Promise<Sample[]> {
  const document = await api.get<Json>(`/api/aquarius/assets/ddo/${did}`, {}, signal)
  const { metadata } = { ...document, ...fieldsOf(document.credentialSubject) } as Json
  const { links } = fieldsOf(metadata)
  const listed = Array.isArray(links) ? links : Object.values(fieldsOf(links))
  return listed.slice(0, LINKS).flatMap(sampleOf)
}

/** Only public hosted files are samples: nothing else that a publisher names is ever requested. */
function sampleOf(link: unknown): Sample[] {
  const text = typeof link === 'string' ? link : fieldsOf(link).url
  if (typeof text !== 'string' || text.length > 2_000) return []
  const [, path, name] = /(\/api\/services\/public\/[\w-]{1,200}\/([^/?#\s]{1,600}))$/.exec(text) ?? []
  return path === undefined || name === undefined || /^\.{1,2}$/.test(name) ? [] : [{ path, name: decoded(name) }]
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
