import { createHash } from 'node:crypto'
import type { Address } from 'viem'
import * as z from 'zod'
import { checksummed, isAddressText } from '../crypto/address.js'
import { type Generation, makeDidOf } from '../did.js'
import { PROTOCOL_LIMITS } from '../limits.js'
import { safeParse } from '../validation.js'
import { credentialsField } from './credentials.js'
import { listLimitProblem } from './list-limits.js'

/** Returns the DID of a data NFT's asset. */
export const didOf = makeDidOf(checksummed, (text) => createHash('sha256').update(text).digest('hex'))

/** Returns every possible DID of a data NFT: one for each generation of documents. */
export function didsOf(nft: Address, chainId: number): string[] {
  return [didOf(nft, chainId, 4), didOf(nft, chainId, 5)]
}

const LIMITS = PROTOCOL_LIMITS.document

/** A text with a maximum length in characters. */
const text = (max: number) => z.string().max(max, `must not be longer than ${max} characters`)

const address = text(42)
  .refine(isAddressText, 'must be an address')
  .transform((value) => checksummed(value as Address))

const service = (generation: Generation) =>
  z.object({
    id: text(LIMITS.name),
    type: text(LIMITS.name),
    files: text(LIMITS.files),
    datatokenAddress: address,
    serviceEndpoint: text(LIMITS.endpoint),
    /** Seconds of access per order; 0: no limit. */
    timeout: z.number().int().min(0),
    credentials: credentialsField(generation),
    /** Version 5: state of this service, with the meaning of the NFT's state. */
    state: z.number().int().optional(),
    /** Questions to consumers, unchecked (`access/parameters.ts`). */
    consumerParameters: z.unknown().optional(),
  })

/** The fields of a document that the service reads, in any version. */
const common = (generation: Generation) =>
  z.object({
    chainId: z.number().int().positive(),
    nftAddress: address,
    services: z.array(service(generation)).min(1, 'must hold at least one service'),
    credentials: credentialsField(generation),
  })

const version4 = common(4).extend({
  '@context': z.array(z.string()).optional(),
  id: text(LIMITS.name),
  version: text(LIMITS.name).regex(/^4\.\d+\.\d+$/, 'must be a version 4 or 5'),
})

const version5 = z.object({
  id: text(LIMITS.name),
  version: text(LIMITS.name).regex(/^5\.\d+\.\d+$/, 'must be a version 4 or 5'),
  credentialSubject: common(5),
})

/** Further fields that publishing requires. */
const publishable = version4.extend({
  '@context': z.array(z.string()),
  metadata: z.looseObject({
    created: z.string(),
    updated: z.string(),
    type: z.enum(['dataset', 'algorithm']),
    name: z.string().min(1),
    description: z.string().min(1),
    author: z.string().min(1),
    license: z.string().min(1),
  }),
})

export type Service = z.infer<ReturnType<typeof service>>

/** A document in the common form of all versions. */
export interface Ddo extends z.infer<ReturnType<typeof common>> {
  id: string
  version: string
}

export type DdoCheck = { ddo: Ddo } | { problems: Record<string, string> }

/**
 * Reads a parsed document as DDO. Its id must be the DID of its NFT. Returns problems by field, at most
 * PROTOCOL_LIMITS.document.problems. Checks list limits before the schema, which reports every problem of every element.
 */
export function readDdo(document: unknown, schema: z.ZodType<Ddo> = version4): DdoCheck {
  const tooLong = listLimitProblem(document)
  if (tooLong) return { problems: Object.fromEntries([tooLong]) }
  const parsed = isVersion5(document) ? safeParse(version5, document) : safeParse(schema, document)
  if (!parsed.success) {
    const issues = parsed.error.issues.slice(0, LIMITS.problems)
    const problems = issues.map((issue) => [issue.path.join('.') || 'document', issue.message])
    return { problems: Object.fromEntries(problems) as Record<string, string> }
  }
  const { id, version } = parsed.data
  const ddo = {
    ...('credentialSubject' in parsed.data ? (parsed.data.credentialSubject as Ddo) : parsed.data),
    id,
    version,
  }
  if (id !== didOf((ddo as Ddo).nftAddress, (ddo as Ddo).chainId, version.startsWith('5') ? 5 : 4))
    return { problems: { id: 'is not the DID of this nftAddress on this chainId' } }
  return { ddo: ddo as Ddo }
}

/**
 * Reads a document more strictly, before its publication. Also reports missing metadata, and credentials that lock out
 * everybody.
 */
export function readPublishableDdo(document: unknown): DdoCheck {
  const read = readDdo(document, publishable)
  if ('problems' in read) return read
  const { credentials: own, services } = read.ddo
  const entries = [own, ...services.map((one) => one.credentials)].flat().flatMap(({ allow, deny }) => [allow, deny])
  if (!entries.flat().some(({ kind }) => kind === 'malformed')) return read
  return {
    problems: {
      credentials: 'must give each entry of type address a list of values, and each of type accessList a contract',
    },
  }
}

function isVersion5(document: unknown): boolean {
  const version = (document as { version?: unknown } | null)?.version
  return typeof version === 'string' && version.startsWith('5.')
}
