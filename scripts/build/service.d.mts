import type { Metafile } from 'esbuild'

export function bundleService(
  root: string,
  options?: { sourcemap?: boolean },
): Promise<{ files: Map<string, Uint8Array>; metafile: Metafile }>
