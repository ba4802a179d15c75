import type { Chain, Chains } from '@tidegate/chain'
import type { Logger } from '@tidegate/common'
import { HostedUses, Hosting, LocalBackend, MAX_FILE, S3Backend, S3Error, UploadIds } from '@tidegate/hosting'
import { StartError } from '@tidegate/protocol'
import type { Settings } from '../config/schema.js'
import type { StateStore } from '../state/stores.js'

export interface HostingTools {
  store: Pick<StateStore, 'hosted' | 'index'>
  chains: Chains
  log: Logger
  /** Whether the index of a chain is up to date. */
  isCurrent(chainId: number): boolean
}

/** Opens the hosting of the settings; undefined if it is off. Throws StartError if its backend cannot be used. */
export async function openHosting(
  settings: Settings,
  { store, chains, log, isCurrent }: HostingTools,
): Promise<Hosting | undefined> {
  if (settings.HOSTING === 'off') return undefined
  // imported on demand: most services host no files
  const { answerTus } = await import('@tidegate/hosting/tus')
  const lifetime = settings.HOSTING_UNPUBLISHED_LIFETIME * 1000
  // the same key at every instance, whatever the order of the chains in its settings
  const lowest = [...chains.values()].sort((a, b) => a.chainId - b.chainId)[0] as Chain
  const backend = settings.HOSTING === 's3' ? s3Backend(settings, log) : new LocalBackend(settings.HOSTING_DIR)
  const uses = new HostedUses(store.hosted, store.index, lowest.keys, [...chains.keys()])
  const ids = new UploadIds(lowest.key)
  const limits = { maxFile: settings.HOSTING_MAX_FILE, quota: settings.HOSTING_QUOTA, lifetime }
  const hosting = new Hosting({ store: store.hosted, backend, uses, ids, answerTus, isCurrent, lifetime, log }, limits)
  await hosting.prepare().catch(async (error: NodeJS.ErrnoException) => {
    if (isUnavailable(error))
      return log.warn({ status: error.status, code: error.code }, 'the hosted files cannot be reached')
    await backend.close()
    throw new StartError([unusable(settings, error)])
  })
  return hosting
}

/** Returns the bucket of the settings. Throws StartError if some are missing. */
export function s3Backend(settings: Settings, log: Pick<Logger, 'warn'>): S3Backend {
  const { HOSTING_S3_BUCKET: bucket, HOSTING_S3_REGION: region, HOSTING_S3_PATH_STYLE: isPathStyle } = settings
  const { HOSTING_S3_ACCESS_KEY_ID: accessKeyId, HOSTING_S3_SECRET_ACCESS_KEY: secretAccessKey } = settings
  const problems = [
    ...(bucket === undefined ? ['HOSTING_S3_BUCKET: is required with HOSTING=s3.'] : []),
    ...(accessKeyId === undefined ? ['HOSTING_S3_ACCESS_KEY_ID: is required with HOSTING=s3.'] : []),
    ...(secretAccessKey === undefined ? ['HOSTING_S3_SECRET_ACCESS_KEY: is required with HOSTING=s3.'] : []),
    ...(settings.HOSTING_MAX_FILE > MAX_FILE
      ? [`HOSTING_MAX_FILE: must not be above ${MAX_FILE} with HOSTING=s3.`]
      : []),
  ]
  if (problems.length > 0 || !bucket || !accessKeyId || !secretAccessKey) throw new StartError(problems)
  const endpoint = new URL(settings.HOSTING_S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`)
  return new S3Backend({
    account: { endpoint, bucket, region, accessKeyId, secretAccessKey, isPathStyle },
    prefix: settings.HOSTING_S3_PREFIX,
    onFailure: ({ status, code }) => log.warn({ status, code }, 'a request to the bucket of hosted files failed'),
  })
}

/** Whether a backend may recover by itself. The service starts without it. */
function isUnavailable(error: Error): error is S3Error {
  return error instanceof S3Error && error.isTransient
}

function unusable({ HOSTING, HOSTING_DIR, HOSTING_S3_BUCKET }: Settings, { code }: NodeJS.ErrnoException): string {
  return HOSTING === 's3'
    ? `HOSTING_S3_BUCKET: ${HOSTING_S3_BUCKET} cannot be used: ${code}`
    : `HOSTING_DIR: ${HOSTING_DIR} cannot be used: ${code}`
}
