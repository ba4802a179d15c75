import type { AssetFile } from '@tidegate/client'
import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.js'
import { TextField } from '../../parts/fields/field.js'
import type { FileEdit, FileEdits } from '../../state/publishing/file-edits.js'
import { mineText } from '../../text/mine.js'
import { PresentFile } from './present-file.js'

/** Files that are drawn at first, and with each request for more. */
const SHOWN = 20
const MORE = 100

interface PresentFilesProps {
  files: readonly AssetFile[]
  edits: FileEdits
  /** Why a file cannot have its new name. */
  problem: { at: number; problem: string } | undefined
  onChange: (edits: FileEdits) => void
}

/** The present files of an asset, each to be replaced, renamed or removed, and found by a part of its name. */
export function PresentFiles({ files, edits, problem, onChange }: PresentFilesProps) {
  const words = mineText
  const [wanted, setWanted] = useState('')
  const [shown, setShown] = useState(SHOWN)
  // people open and close it from then on
  const [isOpen] = useState(files.length <= SHOWN || edits.size > 0)
  const part = wanted.trim().toLowerCase()
  const found = [...files.entries()].filter(
    // what is wrong stays in sight
    ([at, { name = '' }]) => at === problem?.at || name.toLowerCase().includes(part),
  )
  const edit = (at: number, next: FileEdit) => {
    const all = new Map(edits)
    if (Object.keys(next).length > 0) all.set(at, next)
    else all.delete(at)
    onChange(all)
  }
  return (
    <details class="present-files" open={isOpen}>
      <summary>{words.presentFiles(files.length)}</summary>
      <div class="stack tight">
        {files.length > SHOWN && (
          <TextField
            label={words.findFile}
            value={wanted}
            autocomplete="off"
            spellcheck={false}
            onText={(text) => {
              setWanted(text)
              setShown(SHOWN)
            }}
          />
        )}
        {found.length === 0 && <p class="muted">{words.noFileFound}</p>}
        <ul class="files">
          {found.slice(0, shown).map(([at, file]) => (
            <PresentFile
              key={file.index}
              file={file}
              edit={edits.get(at) ?? {}}
              problem={at === problem?.at ? problem.problem : undefined}
              onEdit={(next) => edit(at, next)}
            />
          ))}
        </ul>
        {found.length > shown && (
          <Button onClick={() => setShown(shown + MORE)}>{words.moreFiles(found.length - shown)}</Button>
        )}
      </div>
    </details>
  )
}
