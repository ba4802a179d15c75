/** Kinds of files with their own icon and colour. */
export type FileKind =
  | 'table'
  | 'text'
  | 'code'
  | 'image'
  | 'sound'
  | 'video'
  | 'archive'
  | 'document'
  | 'model'
  | 'data'

const MARKS: Record<FileKind, string> = {
  table: 'M12 20h16v12H12zM12 24h16M12 28h16M18 20v12M23 20v12',
  text: 'M12 21h16M12 25h16M12 29h10',
  code: 'M16 20l-5 6 5 6M24 20l5 6-5 6M22 19l-4 14',
  image: 'M11 31l6-8 4 5 3-3 5 6zM24 20h.01',
  sound: 'M12 24v4M16 21v10M20 18v16M24 22v8M28 24v4',
  video: 'M15 19l12 7-12 7z',
  archive: 'M18 17h4M18 20h4M18 23h4M17 26h6v6h-6z',
  document: 'M12 20h9M12 24h16M12 28h16M12 32h12',
  model: 'M20 18l8 4.5v8L20 35l-8-4.5v-8zM12 22.5l8 4.5 8-4.5M20 27v8',
  data: 'M12 21c0-4 16-4 16 0v10c0 4-16 4-16 0zM12 21c0 4 16 4 16 0M12 26c0 4 16 4 16 0',
}

const BY_TYPE: [RegExp, FileKind][] = [
  [/csv|tab-separated|excel|spreadsheet|parquet/, 'table'],
  [/json|xml|javascript|python|x-sh|yaml|html/, 'code'],
  [/^image\//, 'image'],
  [/^audio\//, 'sound'],
  [/^video\//, 'video'],
  [/zip|gzip|tar|7z|rar|compressed/, 'archive'],
  [/pdf|msword|wordprocessing|presentation/, 'document'],
  [/^model\/|onnx|tensor/, 'model'],
  [/^text\//, 'text'],
]

const BY_ENDING: [RegExp, FileKind][] = [
  [/\.(csv|tsv|xlsx?|ods|parquet|arrow)$/, 'table'],
  [/\.(json|geojson|ndjson|xml|ya?ml|js|ts|py|r|sh|sql|html?|ipynb)$/, 'code'],
  [/\.(png|jpe?g|gif|webp|avif|tiff?|svg|bmp)$/, 'image'],
  [/\.(mp3|wav|flac|ogg|m4a)$/, 'sound'],
  [/\.(mp4|webm|mov|mkv|avi)$/, 'video'],
  [/\.(zip|gz|tgz|tar|bz2|xz|7z|rar|zst)$/, 'archive'],
  [/\.(pdf|docx?|odt|pptx?|epub)$/, 'document'],
  [/\.(onnx|pt|safetensors|gguf|stl|obj|glb)$/, 'model'],
  [/\.(txt|md|log|rst)$/, 'text'],
]

/** Returns the kind of a file by its name's ending, otherwise by its media type. */
export function fileKind(name: string | undefined, type: string | undefined): FileKind {
  const ending = BY_ENDING.find(([pattern]) => pattern.test((name ?? '').toLowerCase()))
  const media = BY_TYPE.find(([pattern]) => pattern.test((type ?? '').toLowerCase()))
  return ending?.[1] ?? media?.[1] ?? 'data'
}

/** A sheet with the mark of its kind. */
export function FileIcon({ name, type }: { name?: string | undefined; type?: string | undefined }) {
  const kind = fileKind(name, type)
  return (
    <svg class={`file-icon file-${kind}`} viewBox="0 0 40 44" aria-hidden="true" focusable="false">
      <path class="sheet" d="M6 4a2 2 0 0 1 2-2h18l8 8v30a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2z" />
      <path class="fold" d="M26 2v8h8" />
      <path class="glyph" d={MARKS[kind]} />
    </svg>
  )
}

/** Returns a file name of the kind that the tags suggest, for search results, which have no files. */
export function guessedName(tags: readonly string[], type: string): string {
  const ending = tags.find((tag) => /^(csv|json|parquet|png|jpe?g|zip|pdf|mp3|mp4|wav|txt|onnx|geojson)$/i.test(tag))
  return ending ? `x.${ending.toLowerCase()}` : type === 'algorithm' ? 'x.py' : ''
}
