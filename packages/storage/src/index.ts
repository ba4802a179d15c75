export { BlockCache } from './cache/block-cache.js'
export { type CostMeter, costMeter } from './cost-meter.js'
export { type DescribedFile, describeFile, inBatches, PublishedDescriptions } from './describing.js'
export { discard, Egress, type HostClass } from './egress/egress.js'
export { BufferedBody } from './egress/exchange.js'
export { BufferPool, FileBody } from './file-body.js'
export { canDecrypt, fileAt, openFiles, UndecryptableFiles } from './files.js'
export { entityTags, isEntityTag, isWeak, isWildcard, matchesIfNoneMatch } from './http/entity-tags.js'
export { parseContentRange } from './http/framing.js'
export { HOSTED_ID, openHosted } from './kinds/hosted.js'
export { STORAGE_TYPES, StorageRegistry } from './kinds/registry.js'
export type { FindHosted, HostedFile, ReadContract } from './kinds/tools.js'
export { STORAGE_LIMITS } from './limits.js'
export { safePath } from './public-name.js'
export { BUCKET_NAME, REGION_NAME } from './s3-names.js'
export { safeName } from './safe-name.js'
export { SingleFlight } from './single-flight.js'
export type {
  Budget,
  FileDescription,
  OpenedFile,
  OpenRequest,
  RequestContext,
  StoredFile,
  UserData,
} from './storage.js'
