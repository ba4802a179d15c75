import { type Asset, type AssetFile, type AssetService, filesIn } from '@tidegate/protocol/asset'
import { PROVIDER_LIMITS } from '../../limits.js'
import { ToolError } from '../../mcp/tool-error.js'
import type { InProcessApi } from './in-process-api.js'

const DESCRIBED = PROVIDER_LIMITS.mcp.described

/** Completes an asset by the descriptions of its files, a few services at a time. */
export async function withFiles(api: InProcessApi, asset: Asset, signal: AbortSignal): Promise<Asset> {
  const shown = asset.services.slice(0, DESCRIBED.services)
  const services: AssetService[] = []
  for (let at = 0; at < shown.length; at += DESCRIBED.atOnce) {
    const some = shown.slice(at, at + DESCRIBED.atOnce)
    const files = await Promise.all(some.map(({ id }) => filesOf(api, asset.did, id, signal)))
    services.push(...some.map((service, index) => ({ ...service, files: files[index] as AssetFile[] })))
  }
  return { ...asset, services }
}

/** Describes the files of a service. Empty if this service cannot: the asset can be bought anyway. */
async function filesOf(api: InProcessApi, did: string, serviceId: string, signal: AbortSignal): Promise<AssetFile[]> {
  try {
    return filesIn(await api.post('/api/services/fileinfo', { did, serviceId }, signal))
  } catch (error) {
    if (error instanceof ToolError) return []
    throw error
  }
}
