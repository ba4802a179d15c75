import type { Asset, AssetService } from '@tidegate/catalog'
import { untrustedViews } from '@tidegate/chain'
import { COMMON_LIMITS } from '@tidegate/common'
import { AssetError, keccak, type Service, upTo } from '@tidegate/protocol'
import { encrypt, hasForm, type ProviderKey, personalDigest, signDigest } from '@tidegate/protocol/keys'
import { CONFIDENTIAL_CHAINS } from '@tidegate/protocol/networks'
import { LRUCache } from 'lru-cache'
import { type Address, concat, encodePacked, type Hex, hexToBytes, parseAbi, stringToHex, zeroAddress } from 'viem'
import type { OrderClaim } from '../../orders/claim.js'
import type { AccessLists } from '../rules/access-lists.js'

/** The template of datatokens that keep files (ERC20Template4). */
const TEMPLATE = 4

const view = untrustedViews(
  parseAbi([
    'function getId() view returns (uint8)',
    'function getAllowListContract() view returns (address)',
    'function getDenyListContract() view returns (address)',
    'function getFilesObject(uint256 serviceId, address providerAddress, bytes providerSignature, bytes consumerData, bytes consumerSignature, address consumerAddress) view returns (bytes)',
  ]),
)

/** A message that the consumer of an order signed with an account: a personal message over its keccak-256. */
interface SignedMessage {
  address: Address
  message: string
  signature: string
}

/** What a datatoken tells of its template, and of the providers that it admits. */
interface Terms {
  template: number | undefined
  allow: Address | undefined
  deny: Address | undefined
}

/** Whether the files of a service are in its datatoken: its document has none. */
export function isInDatatoken({ files }: Pick<Service, 'files'>): boolean {
  return files === ''
}

/** The files of a datatoken before they are read: an order may be for any of them. */
export const UNREAD_FILES: OrderClaim['identities'] = { is: () => true, find: (_identity, was) => was }

/** Returns the error of a request for files of a datatoken without the signature of an account. */
export function signatureNeeded(): AssetError {
  return new AssetError(
    'FILES_IN_DATATOKEN',
    'The datatoken gives the files for a download (GET) that the account of the consumer signs, and for nothing else.',
  )
}

/** Reads files from datatokens. These are contracts of publishers: their answers are bounded, and opened like `files` of documents. */
export class DatatokenFiles {
  private readonly terms: LRUCache<string, Promise<Terms>>
  /** The last answer of the datatoken of a service, with the service that has these files: decryption is expensive. */
  private readonly last = new WeakMap<Service, { answer: Hex; service: Service }>()

  /** `ttl`: milliseconds for which the terms of a datatoken are cached. */
  constructor(
    private readonly lists: Pick<AccessLists, 'has'>,
    ttl: number,
  ) {
    this.terms = new LRUCache({ ...upTo(COMMON_LIMITS.contract.memberships), ttl })
  }

  /**
   * Throws AssetError unless the datatoken of a service is of template 4 and gives its files to this provider: `FILES_UNREADABLE`,
   * `FILES_REFUSED`. Throws ChainError if no node answers.
   */
  async assertGiven({ asset: { chain }, service }: { asset: Asset; service: Service }): Promise<void> {
    const { template, allow, deny } = await this.termsOf(chain, service.datatokenAddress)
    if (template !== TEMPLATE || !allow || !deny)
      throw new AssetError('FILES_UNREADABLE', 'The document has no files, and the datatoken is not of template 4.')
    const isOn = async (list: Address) => this.lists.has({ chainId: chain.chainId, list }, chain.key.address)
    if (allow !== zeroAddress && (await isOn(allow)) !== true) throw refused('its allow list lacks this provider')
    if (deny !== zeroAddress && (await isOn(deny)) !== false) throw refused('its deny list has this provider')
  }

  /** Returns a service with the files of its datatoken, encrypted. Throws as `assertGiven`. */
  async read({ asset, service, index }: AssetService & { asset: Asset }, consumer: SignedMessage): Promise<Service> {
    await this.assertGiven({ asset, service })
    const { chain } = asset
    const { address, message } = consumer
    const signature = consumer.signature as Hex
    const data = [stringToHex(message), signature, address] as const
    const own = [BigInt(index), chain.key.address, providerSignature(chain.key, index, signature)] as const
    const answer = await chain.nodes.ask(
      (_client, call) =>
        view(call, service.datatokenAddress, 'getFilesObject', [...own, ...data], COMMON_LIMITS.contract.result),
      {
        // a lagging node may not know the order yet
        accept: (files) => files !== undefined,
        agreeOn: (files) => files,
      },
    )
    if (answer === undefined) throw refused('the call was reverted, or the answer is too long')
    const last = this.last.get(service)
    if (last?.answer === answer) return last.service
    const read = { ...service, files: encrypted(answer, chain) }
    this.last.set(service, { answer, service: read })
    return read
  }

  private termsOf({ chainId, nodes }: Asset['chain'], datatoken: Address): Promise<Terms> {
    const key = `${chainId} ${datatoken}`
    const known = this.terms.get(key)
    if (known) return known
    const asked = nodes.ask(
      async (_client, call): Promise<Terms> => {
        const [template, allow, deny] = await Promise.all([
          view(call, datatoken, 'getId', []),
          view(call, datatoken, 'getAllowListContract', []),
          view(call, datatoken, 'getDenyListContract', []),
        ])
        return { template, allow, deny }
      },
      // a lagging node may not know the contract yet
      { accept: ({ template }) => template !== undefined, agreeOn: (terms) => terms },
    )
    this.terms.set(key, asked)
    asked.catch(() => this.terms.peek(key) === asked && this.terms.delete(key))
    return asked
  }
}

/** Signs the consumer's signature for the contract. No fee has so few bytes, so that none is valid by such a signature. */
function providerSignature(key: ProviderKey, serviceIndex: number, signature: Hex): Hex {
  const packed = encodePacked(['uint256', 'bytes'], [BigInt(serviceIndex), signature])
  const { r, s, v } = signDigest(personalDigest(keccak(hexToBytes(packed))), key)
  return concat([r, s, v === 27 ? '0x1b' : '0x1c'])
}

/**
 * Returns a files object as documents have it: encrypted, as hex. Other programs write it as plain text on chains that encrypt what
 * contracts store; on other chains everybody would read that, and it is refused as undecryptable.
 */
export function encrypted(answer: Hex, { chainId, key }: Pick<Asset['chain'], 'chainId' | 'key'>): string {
  const bytes = hexToBytes(answer)
  if (hasForm(bytes) || !CONFIDENTIAL_CHAINS.has(chainId)) return answer
  return `0x${encrypt(key.publicKey, Buffer.from(bytes)).toString('hex')}`
}

function refused(reason: string): AssetError {
  return new AssetError('FILES_REFUSED', `The datatoken did not give the files: ${reason}.`)
}
