/**
 * Media types of files of data by their endings, which browsers, or the lists of `mime-types`, do not know: as registered at IANA, or else
 * as their makers name them.
 */
const TYPES: Record<string, string> = {
  arrow: 'application/vnd.apache.arrow.file',
  feather: 'application/vnd.apache.arrow.file',
  gpkg: 'application/geopackage+sqlite3',
  h5: 'application/x-hdf5',
  hdf5: 'application/x-hdf5',
  jsonl: 'application/x-ndjson',
  md: 'text/markdown',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
  sqlite: 'application/vnd.sqlite3',
  sqlite3: 'application/vnd.sqlite3',
  zst: 'application/zstd',
}

/** Returns the media type of a file of data by the ending of its name; undefined for others. */
export function dataTypeOf(name: string): string | undefined {
  const ending = /\.([^./\\]{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined
}
