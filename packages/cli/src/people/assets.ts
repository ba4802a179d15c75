import {
  type Asset,
  type AssetFile,
  type AssetService,
  type Buyers,
  bytesText,
  type Release,
  sellerOf,
  type VerifiedPublishers,
} from '@tidegate/client'
import { ASSET_LIMITS } from '@tidegate/protocol/asset'
import { CommandError, misuse } from '@tidegate/provider/commands/failures'
import { CLI_LIMITS } from '../limits.js'
import { priceJson, priceText, timeText, validityText } from './amounts.js'
import type { WhichFile } from './options.js'
import { shown } from './output/text.js'
import { sellerText } from './sellers.js'

/** Describes an asset for people. Its texts are the publisher's. */
export function assetLines(asset: Asset, names: VerifiedPublishers): string[] {
  const { did, name, description, author, license, tags, state, blocked, chainId, created, orders, services } = asset
  const facts: [string, string][] = [
    ['May buy', buyersText(asset.buyers)],
    ['Seller', sellerText(asset, names)],
    ['About', shown(description, CLI_LIMITS.texts.description)],
    ['Author', shown(author)],
    ['Licence', shown(license)],
    ['Tags', shown(tags.join(', '))],
    [
      'State',
      blocked === undefined ? state : `blocked by the operator of the provider${blocked && `: ${shown(blocked)}`}`,
    ],
    ['Chain', `${chainId}`],
    ['Published', created ? timeText(created) : ''],
    ['Orders', `${orders}`],
  ]
  return [
    shown(name),
    did,
    '',
    ...facts.filter(([, value]) => value !== '').map(([label, value]) => `  ${label.padEnd(10)} ${value}`),
    ...documentLines(asset),
    ...services.flatMap((service) => ['', ...serviceLines(service)]),
  ]
}

/** Terms, licence documents, samples and links, each with its host. */
function documentLines({ terms, links, licenseDocuments }: Asset): string[] {
  const line = (label: string, text: string) => `  ${label.padEnd(10)} ${text}`
  const target = (name: string, host?: string, url?: string) =>
    `${shown(name, 100)}${host && url ? `, on ${shown(host)}: ${shown(url, ASSET_LIMITS.url)}` : ''}`
  return [
    ...(terms ? [line('Terms', target(terms.name, terms.host, terms.url)), line('', `SHA-256 ${terms.sha256}`)] : []),
    ...licenseDocuments.map(({ name, host, url }) => line('Licence', target(name, host, url))),
    ...links.map(({ name, host, url, isHere }) => line(isHere ? 'Sample' : 'Link', target(name, host, url))),
  ]
}

function serviceLines(service: AssetService): string[] {
  const { id, name, type, price, datatoken, files, buyers, release } = service
  const title = name ? `${shown(id)} "${shown(name)}"` : shown(id)
  return [
    `Service ${title} (${shown(type, 20)})`,
    ...(buyers ? [`  ${'May buy'.padEnd(10)} ${buyersText(buyers)}`] : []),
    `  ${'Price'.padEnd(10)} ${priceText(price)}`,
    `  ${'An order'.padEnd(10)} is valid ${validityText(service)}`,
    `  ${'Datatoken'.padEnd(10)} ${datatoken}`,
    ...(release ? [`  ${'Version'.padEnd(10)} ${releaseText(release)}`] : []),
    ...files.map((file) => `  ${`File ${file.index}`.padEnd(10)} ${fileText(file)}`),
  ]
}

/** Says what the publisher tells of a version: "3 of 28 November 2026: with the gauges of the south". */
const releaseText = ({ number, date, notes }: Release) =>
  `${number}${date ? ` of ${timeText(date)}` : ''}${notes ? `: ${shown(notes, NOTES)}` : ''}`

/** Most characters of the notes on a version that are shown. */
const NOTES = 500

/** Most named buyers that are shown. */
const BUYERS = 10

/** Says who may buy. */
function buyersText(buyers: Buyers | undefined): string {
  if (!buyers) return 'everybody'
  const named = [...buyers.lists.map(({ address }) => `members of list ${address}`), ...buyers.accounts]
  const more = named.length > BUYERS ? ` and ${named.length - BUYERS} more` : ''
  if (buyers.presents && named.length === 0) return 'everybody who presents credentials; `get` and `buy` ask for them'
  const asks = buyers.presents ? '; credentials are asked for' : ''
  return `only invited buyers: ${named.slice(0, BUYERS).join(', ') || 'the provider decides'}${more}${asks}`
}

export function fileText({ name, contentType, size, available }: AssetFile): string {
  const parts = [name && shown(name), contentType && shown(contentType, 60), size !== undefined && bytesText(size)]
  const known = parts.filter((part) => typeof part === 'string' && part !== '')
  return [...known, ...(available ? [] : ['not available now'])].join('  ') || 'of unknown size'
}

export function assetJson({ services, ...asset }: Asset, names: VerifiedPublishers) {
  return {
    ...asset,
    seller: sellerOf(asset, names),
    services: services.map(({ price, ...service }) => ({ ...service, price: priceJson(price) })),
  }
}

/** States that hide the texts and services of an asset. */
const HIDDEN = new Set<Asset['state']>(['retired', 'deprecated', 'revoked'])

/** Returns the requested service, or the first that gives access to files. Throws CommandError. */
export function serviceOf({ did, state, services }: Asset, id: string | undefined): AssetService {
  const first = services.find(({ type }) => type === 'access') ?? services[0]
  const found = id === undefined ? first : services.find((one) => one.id === id)
  if (found) return found
  if (HIDDEN.has(state)) throw new CommandError('ASSET_NOT_CONSUMABLE', `${did} is ${state}: it is not available.`)
  if (id === undefined) throw new CommandError('UNKNOWN_SERVICE', `${did} has no service.`)
  const known = services.map((service) => shown(service.id)).join(', ') || 'none'
  throw new CommandError('UNKNOWN_SERVICE', `${did} has no service ${shown(id)}. There are: ${known}.`)
}

/** Most files that an error lists. */
const LISTED = 20

/** Returns the number of a file. Throws CommandError if no file has the number or the name, or several have the name. */
export function fileOf(service: AssetService, wanted: WhichFile): number {
  const { files } = service
  // of files that the provider does not describe now, it knows whether there is one
  if (typeof wanted === 'number' && files.length === 0) return wanted
  const found = files.filter(({ index, name }) => (typeof wanted === 'number' ? index : name) === wanted)
  const [first, second] = found
  if (second) throw misuse(`${found.length} files are named ${shown(String(wanted))}: choose one by its number.`)
  if (first) return first.index
  throw new CommandError('NO_SUCH_FILE', `there is no file ${shown(String(wanted))}. There are: ${fileList(service)}`)
}

/** Lists the files of a service with their numbers. */
export function fileList({ files }: AssetService): string {
  const some = files.slice(0, LISTED).map((file) => `${file.index}: ${fileText(file)}`)
  return some.join('; ') + (files.length > LISTED ? `; and ${files.length - LISTED} more` : '')
}
