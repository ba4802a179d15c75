import { createHash } from 'node:crypto'
import type { Address } from 'viem'
import { z } from 'zod'
import { BOUNDS } from '../bounds.js'
import { checksummed, isAddressText } from '../crypto/address.js'
import { parsedBy } from '../validation.js'
import { countProblem } from './counts.js'
import { credentialsField, isMalformed } from './credentials.js'

/** DID methods of the two generations of asset descriptors: version 4, and version 5 (a verifiable credential). */
const METHODS = { 4: 'did:op:', 5: 'did:ope:' } as const

type Generation = keyof typeof METHODS

/** The DID of the asset of a data NFT: sha256 over the checksummed address and the decimal chain id. */
export function didOf(nft: Address, chainId: number, generation: Generation = 4): string {
  return (
    METHODS[generation] +
    createHash('sha256')
      .update(checksummed(nft) + chainId)
      .digest('hex')
  )
}

/** Every DID that the asset of a data NFT may have, by the version of its document. */
export function didsOf(nft: Address, chainId: number): string[] {
  return [didOf(nft, chainId, 4), didOf(nft, chainId, 5)]
}

const LIMITS = BOUNDS.document

/** Text that is no longer than so many characters. */
const text = (most: number) => z.string().max(most, `must not be longer than ${most} characters`)

const address = text(42)
  .refine(isAddressText, 'must be an address')
  .transform((value) => checksummed(value as Address))

const service = z.object({
  id: text(LIMITS.name),
  type: text(LIMITS.name),
  files: text(LIMITS.files),
  datatokenAddress: address,
  serviceEndpoint: text(LIMITS.endpoint),
  /** Seconds of access that an order buys; 0 is for ever. */
  timeout: z.number().int().min(0),
  credentials: credentialsField,
  /** Version 5: state of this service alone, with the meaning of the NFT's state. */
  state: z.number().int().optional(),
  /** What consumers are asked for, as the publisher wrote it (`access/parameters.ts`). */
  consumerParameters: z.unknown().optional(),
})

/** What the service reads of an asset descriptor of any version. Other fields are left out, so that they cost nothing. */
const common = z.object({
  chainId: z.number().int().positive(),
  nftAddress: address,
  services: z.array(service).min(1, 'must hold at least one service'),
  credentials: credentialsField,
})

const version4 = common.extend({
  '@context': z.array(z.string()).optional(),
  id: text(LIMITS.name),
  version: text(LIMITS.name).regex(/^4\.\d+\.\d+$/, 'must be a version 4 or 5'),
})

const version5 = z.object({
  id: text(LIMITS.name),
  version: text(LIMITS.name).regex(/^5\.\d+\.\d+$/, 'must be a version 4 or 5'),
  credentialSubject: common,
})

/** What a publisher must fill in beside that, asked of a document before it is published. */
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

export type Service = z.infer<typeof service>

/** An asset descriptor in the one form that the service works with, whatever its version. */
export interface Ddo extends z.infer<typeof common> {
  id: string
  version: string
}

export type DdoCheck = { ddo: Ddo } | { problems: Record<string, string> }

/**
 * Reads a parsed document as the DDO of this very NFT. Answers the problems by field instead of throwing, ten at most.
 * Lists are counted before the schema looks into them, since it lists every problem of every element.
 */
export function readDdo(document: unknown, schema: z.ZodType<Ddo> = version4): DdoCheck {
  const uncounted = countProblem(document)
  if (uncounted) return { problems: Object.fromEntries([uncounted]) }
  const parsed = isVersion5(document) ? parsedBy(version5, document) : parsedBy(schema, document)
  if (!parsed.success) {
    const first = parsed.error.issues.slice(0, LIMITS.problems)
    const problems = first.map((issue) => [issue.path.join('.') || 'document', issue.message])
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
 * The stricter reading, for a document that is about to be published: its publisher is told of credentials that would
 * keep everybody out.
 */
export function readPublishableDdo(document: unknown): DdoCheck {
  const read = readDdo(document, publishable)
  if ('problems' in read) return read
  const { credentials: own, services } = read.ddo
  const entries = [own, ...services.map((one) => one.credentials)].flat().flatMap(({ allow, deny }) => [allow, deny])
  if (!entries.some((list) => list?.some(isMalformed))) return read
  return { problems: { credentials: 'must give each entry of type address a list of values' } }
}

function isVersion5(document: unknown): boolean {
  const version = (document as { version?: unknown } | null)?.version
  return typeof version === 'string' && version.startsWith('5.')
}
