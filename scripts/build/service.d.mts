import type { Metafile } from 'esbuild'

export function bundleService(
  root: string,
  options?: { sourcemap?: boolean },
): Promise<{ files: Map<string, Uint8Array>; metafile: Metafile }>
export function writeFiles(folder: string, files: Iterable<[name: string, contents: Uint8Array]>): void
