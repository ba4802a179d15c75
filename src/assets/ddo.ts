import { createHash } from 'node:crypto'
import { type Address, getAddress, isAddress } from 'viem'
import { z } from 'zod'

/** The DID of the asset of a data NFT: sha256 over the checksummed address and the decimal chain id. */
export function didOf(nft: Address, chainId: number): string {
  return `did:op:${createHash('sha256')
    .update(getAddress(nft) + chainId)
    .digest('hex')}`
}

const address = z
  .string()
  .refine((text) => isAddress(text, { strict: false }), 'must be an address')
  .transform((text) => getAddress(text))

/** One entry of an allow or deny list: `type` says what the values are; only `address` is known here. */
const credential = z.looseObject({ type: z.string(), values: z.array(z.unknown()).optional() })

const credentials = z.looseObject({
  allow: z.array(credential).nullish(),
  deny: z.array(credential).nullish(),
})

const service = z.looseObject({
  id: z.string(),
  type: z.string(),
  files: z.string(),
  datatokenAddress: address,
  serviceEndpoint: z.string(),
  /** Seconds of access that an order buys; 0 is for ever. */
  timeout: z.number().int().min(0),
  credentials: credentials.nullish(),
})

/** What the service reads of an asset descriptor of version 4; all other fields stay as they are. */
const ddo = z.looseObject({
  '@context': z.array(z.string()).optional(),
  id: z.string(),
  version: z.string().regex(/^4\.\d+\.\d+$/, 'must be a version 4'),
  chainId: z.number().int().positive(),
  nftAddress: address,
  services: z.array(service).min(1, 'must hold at least one service'),
  credentials: credentials.nullish(),
})

/** What a publisher must fill in beside that, asked of a document before it is published. */
const publishable = ddo.extend({
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

export type Ddo = z.infer<typeof ddo>
export type Service = z.infer<typeof service>
export type Credentials = z.infer<typeof credentials>

export type DdoCheck = { ddo: Ddo } | { problems: Record<string, string> }

/** Reads a parsed document as the DDO of this very NFT. Answers the problems by field instead of throwing. */
export function readDdo(document: unknown, schema: z.ZodType<Ddo> = ddo): DdoCheck {
  const parsed = schema.safeParse(document)
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => [issue.path.join('.') || 'document', issue.message])
    return { problems: Object.fromEntries(problems) as Record<string, string> }
  }
  const { id, nftAddress, chainId } = parsed.data
  if (id !== didOf(nftAddress, chainId))
    return { problems: { id: 'is not the DID of this nftAddress on this chainId' } }
  return { ddo: parsed.data }
}

/** The stricter reading, for a document that is about to be published. */
export function readPublishableDdo(document: unknown): DdoCheck {
  return readDdo(document, publishable)
}
