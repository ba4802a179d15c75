import { checksummed } from '@tidegate/protocol'
import type { Address, Hex } from 'viem'
import { ALL_FILES } from '../constants.js'

/** The content of a download link: the right of a consumer to one file of a service, or to an archive of all. */
export interface Grant {
  consumer: Address
  /** The chain of the asset. */
  chainId: number
  /** Whether the consumer is a contract wallet, which is valid only on that chain. */
  isWallet: boolean
  did: string
  serviceId: string
  /** Undefined: an archive of all files. */
  fileIndex: number | undefined
  /** Identity of the file, or of all, in the version of the asset that the link was made for: 32 hex digits. */
  identity: string
  /** Transaction of the order, or of a reuse, from the consumer's request. */
  orderTx: Hex
  /** Values for the storage, as JSON. */
  userdata?: string
  /** What the policy server gets, as JSON. */
  policyServer?: string
  /** Id of the auth token that created the link. */
  jti?: string
  /** Seconds since 1970. */
  issuedAt: number
  expiresAt: number
}

/** Version of the encoding. Links of other versions are not valid. */
const VERSION = 3

const FLAGS = { wallet: 1, ope: 2, jti: 4, userdata: 8, policyServer: 16 }

/** Offsets of the fields of fixed length, in the order of the encoding. */
const AT = {
  version: 0,
  flags: 1,
  expires: 2,
  chain: 8,
  file: 16,
  consumer: 20,
  did: 40,
  order: 72,
  identity: 104,
  issued: 120,
  texts: 126,
}

/** Encodes a grant in binary, to keep URLs short. */
export function encodeGrant(grant: Grant): Buffer {
  const {
    consumer,
    chainId,
    isWallet,
    did,
    serviceId,
    fileIndex,
    identity,
    orderTx,
    userdata,
    policyServer,
    jti,
    issuedAt,
    expiresAt,
  } = grant
  const [, method = '', digits = ''] = did.split(':')
  const fixed = Buffer.alloc(AT.texts)
  fixed[AT.version] = VERSION
  fixed[AT.flags] =
    (isWallet ? FLAGS.wallet : 0) |
    (method === 'ope' ? FLAGS.ope : 0) |
    (jti === undefined ? 0 : FLAGS.jti) |
    (userdata === undefined ? 0 : FLAGS.userdata) |
    (policyServer === undefined ? 0 : FLAGS.policyServer)
  fixed.writeUIntBE(expiresAt, AT.expires, 6)
  fixed.writeUIntBE(issuedAt, AT.issued, 6)
  fixed.writeBigUInt64BE(BigInt(chainId), AT.chain)
  fixed.writeUInt32BE(fileIndex ?? ALL_FILES, AT.file)
  fixed.write(consumer.slice(2), AT.consumer, 'hex')
  fixed.write(digits, AT.did, 'hex')
  fixed.write(orderTx.slice(2), AT.order, 'hex')
  fixed.write(identity, AT.identity, 'hex')
  const texts = [serviceId, jti, userdata, policyServer].filter((text) => text !== undefined)
  return Buffer.concat([fixed, ...texts.flatMap(lengthAndText)])
}

/** Decodes an authentic grant. Returns undefined for another version. */
export function decodeGrant(encoded: Buffer): Grant | undefined {
  if (encoded[AT.version] !== VERSION) return undefined
  const has = (flag: number) => ((encoded[AT.flags] as number) & flag) !== 0
  const hex = (from: number, length: number): Hex => `0x${encoded.toString('hex', from, from + length)}`
  let next = AT.texts
  const fileIndex = encoded.readUInt32BE(AT.file)
  const text = () => {
    const start = next + 2
    next = start + encoded.readUInt16BE(next)
    return encoded.toString('utf8', start, next)
  }
  return {
    issuedAt: encoded.readUIntBE(AT.issued, 6),
    expiresAt: encoded.readUIntBE(AT.expires, 6),
    chainId: Number(encoded.readBigUInt64BE(AT.chain)),
    fileIndex: fileIndex === ALL_FILES ? undefined : fileIndex,
    isWallet: has(FLAGS.wallet),
    consumer: checksummed(hex(AT.consumer, 20)),
    did: `did:${has(FLAGS.ope) ? 'ope' : 'op'}:${hex(AT.did, 32).slice(2)}`,
    orderTx: hex(AT.order, 32),
    identity: hex(AT.identity, 16).slice(2),
    serviceId: text(),
    ...(has(FLAGS.jti) ? { jti: text() } : {}),
    ...(has(FLAGS.userdata) ? { userdata: text() } : {}),
    ...(has(FLAGS.policyServer) ? { policyServer: text() } : {}),
  }
}

function lengthAndText(text: string): [Buffer, Buffer] {
  const bytes = Buffer.from(text, 'utf8')
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return [length, bytes]
}
