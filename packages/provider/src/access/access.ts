import type { AssetResolver } from '@tidegate/catalog'
import type { ComputeEnvironment } from '../config/parsers/chains.js'
import type { OrderTransactions } from '../orders/transactions.js'
import type { DatatokenFiles } from './files/datatoken-files.js'
import type { FileLists } from './files/file-lists.js'
import type { Policies } from './policies/policies.js'
import type { AccessLists } from './rules/access-lists.js'
import type { Purgatory } from './rules/purgatory.js'
import type { AccessControl } from './rules/rbac.js'
import type { Withheld } from './rules/withheld.js'

/** The services that decide whether a consumer may have a file. */
export interface Access {
  assets: AssetResolver
  fileLists: FileLists
  datatokenFiles: DatatokenFiles
  orders: OrderTransactions
  accessControl: AccessControl
  accessLists: AccessLists
  policies: Policies
  purgatory: Purgatory
  withheld: Withheld
  environments: readonly ComputeEnvironment[]
}
