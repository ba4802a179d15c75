import { TidegateError } from '@tidegate/client'
import { CONSOLE_LIMITS } from '../../limits.js'

/** Destination of a download: a chosen file, or through memory the browser's download folder. */
export type Place = { to: 'disk'; handle: FileSystemFileHandle } | { to: 'memory' }

export interface Sink {
  write(piece: Uint8Array<ArrayBuffer>): Promise<void>
  /** Saves the written bytes. */
  finish(): Promise<void>
  /** Discards the written bytes. */
  discard(): Promise<void>
}

export const { memory: IN_MEMORY } = CONSOLE_LIMITS.downloads

interface WithPicker {
  showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle>
}

/** Whether this browser lets pages write to files that people choose. */
export const canChooseFile = (): boolean => typeof (globalThis as WithPicker).showSaveFilePicker === 'function'

/** Lets a person choose a file; undefined if they cancel. */
export async function chooseFile(suggestedName: string): Promise<FileSystemFileHandle | undefined> {
  try {
    return await (globalThis as WithPicker).showSaveFilePicker?.({ suggestedName })
  } catch (error) {
    if ((error as Error).name === 'AbortError') return undefined
    throw error
  }
}

export async function openSink(place: Place, facts: { name: string; contentType: string }): Promise<Sink> {
  if (place.to === 'memory') return memorySink(facts)
  const file = await place.handle.createWritable()
  return {
    write: (piece) => file.write(piece),
    // until then the bytes are in a temporary file beside it
    finish: () => file.close(),
    discard: () => file.abort().catch(() => undefined),
  }
}

function memorySink({ name, contentType }: { name: string; contentType: string }): Sink {
  let pieces: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  return {
    async write(piece) {
      length += piece.length
      if (length > 2 * IN_MEMORY)
        throw new TidegateError('FILE_TOO_LARGE', 'The file is larger than was told. Download it by a link.')
      pieces.push(piece)
    },
    async finish() {
      const blob = new Blob(pieces, { type: contentType })
      pieces = []
      save(blob, name)
    },
    async discard() {
      pieces = []
    },
  }
}

/** Saves bytes in the browser's download folder. */
export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  follow(url, name)
  // the browser reads it a moment later
  setTimeout(() => URL.revokeObjectURL(url), CONSOLE_LIMITS.downloads.saved)
}

/** Lets the browser download an address. */
export function follow(url: string, name = ''): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.rel = 'noreferrer'
  document.body.append(link)
  link.click()
  link.remove()
}
