import type { AssetResolver } from '@tidegate/catalog'
import type { Receipts } from '@tidegate/chain'
import type { Hosting } from '@tidegate/hosting'
import type { StorageRegistry } from '@tidegate/storage'
import type { Access } from '../access/access.js'
import { DatatokenFiles } from '../access/files/datatoken-files.js'
import { FileLists } from '../access/files/file-lists.js'
import type { Policies } from '../access/policies/policies.js'
import type { ProviderKeys } from '../access/provider-keys.js'
import { AccessLists } from '../access/rules/access-lists.js'
import type { Purgatory } from '../access/rules/purgatory.js'
import { accessControl } from '../access/rules/rbac.js'
import { Withheld } from '../access/rules/withheld.js'
import type { Settings } from '../config/schema.js'
import { OrderTransactions } from '../orders/transactions.js'
import type { Base } from './base.js'

interface Parties {
  assets: AssetResolver
  receipts: Receipts
  providerKeys: ProviderKeys
  purgatory: Purgatory
  storages: StorageRegistry
  hosting: Hosting | undefined
  policies: Policies
}

/** Returns how people reach the operator, as far as the settings tell. */
const contactOf = ({ OPERATOR_CONTACT, OPERATOR_URL }: Settings) => OPERATOR_CONTACT ?? OPERATOR_URL

/** Builds the access checks. */
export async function openAccess(
  settings: Settings,
  { store, chains, outbound, log }: Base,
  { assets, receipts, providerKeys, purgatory, storages, hosting, policies }: Parties,
): Promise<Access> {
  const accessLists = new AccessLists(chains, settings.INDEX_POLL_INTERVAL)
  return {
    assets,
    datatokenFiles: new DatatokenFiles(accessLists, settings.INDEX_POLL_INTERVAL),
    fileLists: new FileLists(
      storages,
      settings.ALLOW_UNBOUND_FILES,
      providerKeys,
      ({ chain, nft }, encrypted, files) => {
        hosting?.uses
          .record(chain.chainId, nft, files, encrypted)
          .catch(() => log.warn({}, 'the use of a hosted file could not be recorded'))
      },
    ),
    orders: new OrderTransactions(receipts, {
      max: settings.ORDER_CACHE_SIZE,
      reorgDepth: settings.INDEX_REORG_DEPTH,
      wait: settings.ORDER_WAIT,
      quotesEndSince: await store.milestones.get('quotes end'),
      isMissingKey: (chain, address) => providerKeys.isMissing(chain, address),
    }),
    accessControl: accessControl(settings.RBAC_SERVER_URL, outbound, log),
    accessLists,
    policies,
    purgatory,
    withheld: new Withheld({ takedowns: store.takedowns, purgatory, contact: contactOf(settings), log }),
    environments: settings.COMPUTE_ENVIRONMENTS,
  }
}
