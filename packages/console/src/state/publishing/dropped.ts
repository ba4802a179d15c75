/** A file with its public name: a relative path if it comes from a folder. */
export interface NamedFile {
  file: File
  name: string
}

/** Most files that one drop reads: the page draws each. The command line publishes more. */
export const MOST_FILES = 1000

/** Returns picked files. Leaves out hidden files and folders of a picked folder. */
export function pickedFiles(files: Iterable<File>): NamedFile[] {
  return [...files]
    .map((file) => ({ file, name: file.webkitRelativePath || file.name }))
    .filter(({ name }) => !/\/\./.test(name))
    .sort(byName)
}

/** Returns dropped files, and those below dropped folders except hidden ones. Stops after `MOST_FILES`. */
export async function droppedFiles(items: Iterable<DataTransferItem>): Promise<NamedFile[]> {
  // the browser forgets them after the event
  const dropped = [...items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  const found: NamedFile[] = []
  for (const { entry, file } of dropped) {
    if (entry?.isDirectory) await addFolder(entry as FileSystemDirectoryEntry, `${entry.name}/`, found)
    else if (file) found.push({ file, name: file.name })
  }
  return found.sort(byName)
}

const byName = (one: NamedFile, other: NamedFile) => (one.name < other.name ? -1 : 1)

async function addFolder(folder: FileSystemDirectoryEntry, path: string, found: NamedFile[]): Promise<void> {
  const reader = folder.createReader()
  for (;;) {
    // a part of the folder at a time
    const entries = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed))
    if (entries.length === 0) return
    for (const entry of entries) {
      if (entry.name.startsWith('.')) continue
      if (found.length > MOST_FILES) return
      const name = path + entry.name
      if (entry.isDirectory) await addFolder(entry as FileSystemDirectoryEntry, `${name}/`, found)
      else found.push({ file: await fileOf(entry as FileSystemFileEntry), name })
    }
  }
}

const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((done, failed) => entry.file(done, failed))
