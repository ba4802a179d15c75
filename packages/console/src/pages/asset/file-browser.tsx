import type { Asset, AssetService } from '@tidegate/client'
import { useMemo, useState } from 'preact/hooks'
import type { Hex } from 'viem'
import { Icon } from '../../icons/icon.js'
import { Words } from '../../parts/texts/words.js'
import { foundIn, type Row, rootOf, rowsOf, sizeOf } from '../../state/file-tree.js'
import { text } from '../../text.js'
import { FileRow } from './file-row.js'
import { RowPager } from './row-pager.js'

interface BrowserProps {
  asset: Pick<Asset, 'did' | 'name'>
  service: AssetService
  order: Hex | undefined
}

/** Lines of one page: the height of the page does not depend on the number of files. */
const PAGE = 20
/** Deeper folders are not indented further. */
const INDENTS = 6

/** A tree of folders with a search over names, in pages. With an order each file can be downloaded. */
export function FileBrowser({ asset, service, order }: BrowserProps) {
  const { files } = service
  const { asset: words } = text
  const [wanted, setWanted] = useState('')
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [turned, setTurned] = useState(0)
  const root = useMemo(() => rootOf(files), [files])
  const isSearch = wanted.trim() !== ''
  const rows = useMemo(() => (isSearch ? foundIn(root, wanted) : rowsOf(root, open)), [root, open, wanted])
  const pages = Math.max(1, Math.ceil(rows.length / PAGE))
  const page = Math.min(turned, pages - 1)
  const from = page * PAGE
  const shown = rows.slice(from, from + PAGE)
  const inside = parentOf(shown[0])
  const toggle = (path: string) => {
    const next = new Set(open)
    if (!next.delete(path)) next.add(path)
    setOpen(next)
  }
  return (
    <div class="stack tight file-browser">
      {files.length > PAGE / 2 && (
        <input
          type="search"
          maxLength={200}
          autocomplete="off"
          spellcheck={false}
          aria-label={words.findFile}
          placeholder={words.findFile}
          value={wanted}
          onInput={({ currentTarget }) => {
            setWanted(currentTarget.value)
            setTurned(0)
          }}
        />
      )}
      {isSearch && (
        <p class="muted small" role="status">
          {words.filesFound(rows.length)}
        </p>
      )}
      {inside && (
        <p class="muted small">
          {words.inFolder} <Words text={inside} most={200} />
        </p>
      )}
      <ul class="files" aria-label={words.files}>
        {shown.map((row) => (
          <li key={keyOf(row)} class="file-line" style={{ paddingInlineStart: `${Math.min(row.depth, INDENTS)}rem` }}>
            {row.depth > 0 && <span class="off-screen">{words.fileLevel(row.depth + 1)}</span>}
            {row.kind === 'folder' ? (
              <FolderRow row={row} onToggle={() => toggle(row.folder.path)} />
            ) : (
              <FileRow row={row} asset={asset} service={service} order={order} />
            )}
          </li>
        ))}
      </ul>
      {pages > 1 && <RowPager page={page} pages={pages} onTurn={setTurned} />}
    </div>
  )
}

/** Returns the path of the folder that a line is in; nothing at the top. */
function parentOf(row: Row | undefined): string {
  if (!row || row.depth === 0) return ''
  const path = row.kind === 'folder' ? row.folder.path : (row.file.name ?? '')
  return path.slice(0, path.length - (row.name?.length ?? 0))
}

const keyOf = (row: Row) => (row.kind === 'folder' ? row.folder.path : row.file.index)

function FolderRow({ row, onToggle }: { row: Extract<Row, { kind: 'folder' }>; onToggle: () => void }) {
  const { folder, name, isOpen } = row
  return (
    <button type="button" class="folder" aria-expanded={isOpen} onClick={onToggle}>
      <Icon name={isOpen ? 'down' : 'right'} />
      <span class="grow">
        <Words text={name} most={120} />
      </span>
      <span class="small muted">{text.asset.filesAndSize(folder.files.length, sizeOf(folder))}</span>
    </button>
  )
}
