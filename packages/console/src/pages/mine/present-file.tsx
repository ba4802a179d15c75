import type { AssetFile } from '@tidegate/client'
import { useEffect, useRef, useState } from 'preact/hooks'
import { plainLine } from '../../format/hostile.js'
import { FileIcon } from '../../icons/file-icon.js'
import { Icon } from '../../icons/icon.js'
import { Button } from '../../parts/button.js'
import { TextField } from '../../parts/fields/field.js'
import { LocationField } from '../../parts/fields/location-field.js'
import { Words } from '../../parts/texts/words.js'
import { config } from '../../state/config.js'
import type { FileEdit } from '../../state/publishing/file-edits.js'
import type { NewFile } from '../../state/publishing/new-files.js'
import { mineText } from '../../text/mine.js'
import { text } from '../../text.js'

interface PresentFileProps {
  file: AssetFile
  /** Its change; empty without one. */
  edit: FileEdit
  problem: string | undefined
  onEdit: (edit: FileEdit) => void
}

/** A present file with its change, which can be undone before it is saved. */
export function PresentFile({ file: { index, name, contentType }, edit, problem, onEdit }: PresentFileProps) {
  const words = mineText
  const [isLocating, setLocating] = useState(false)
  const own = name ?? text.asset.fileNumber(index)
  const spoken = (action: string) => words.ofFile(action, plainLine(own, 60))
  const { file, lost, name: next, remove } = edit
  const isChanged = Object.keys(edit).length > 0
  const replace = (file: NewFile) => {
    const { lost: _, ...others } = edit
    onEdit({ ...others, file })
    setLocating(false)
  }
  return (
    <li class="file present">
      <FileIcon name={name} type={contentType} />
      <div class="grow">
        <p class={remove ? 'struck' : undefined}>
          <Words text={own} most={120} />
        </p>
        {remove && <span class="badge warn">{words.removedFile}</span>}
        {(file || lost !== undefined) && (
          <p class="small muted">
            {file ? words.replacedBy : words.chooseAgain} <Words text={file?.label ?? lost ?? ''} most={120} />
          </p>
        )}
      </div>
      <div class="row wrap">
        {!remove && config().hosting.enabled && (
          <label class="button quiet small public-file">
            <Icon name="upload" />
            <span>{words.replaceFile}</span>
            <input
              type="file"
              class="off-screen"
              aria-label={spoken(words.replaceFile)}
              onChange={({ currentTarget }) => {
                const chosen = currentTarget.files?.[0]
                if (chosen) replace({ key: `at-${index}`, label: chosen.name, file: chosen })
                currentTarget.value = ''
              }}
            />
          </label>
        )}
        {!remove && !config().hosting.enabled && !isLocating && (
          <Button
            size="small"
            kind="quiet"
            icon="swap"
            label={spoken(words.replaceFile)}
            onClick={() => setLocating(true)}
          >
            {words.replaceFile}
          </Button>
        )}
        {!remove && next === undefined && (
          <Button
            size="small"
            kind="quiet"
            icon="edit"
            label={spoken(words.renameFile)}
            onClick={() => onEdit({ ...edit, name: name ?? '' })}
          >
            {words.renameFile}
          </Button>
        )}
        {!isChanged && (
          <Button
            size="small"
            kind="quiet"
            icon="trash"
            label={spoken(words.removeFile)}
            onClick={() => onEdit({ remove: true })}
          >
            {words.removeFile}
          </Button>
        )}
        {isChanged && (
          <Button size="small" kind="quiet" icon="retry" label={spoken(words.undo)} onClick={() => onEdit({})}>
            {words.undo}
          </Button>
        )}
      </div>
      {next !== undefined && (
        <NewName own={own} value={next} problem={problem} onName={(changed) => onEdit({ ...edit, name: changed })} />
      )}
      {isLocating && (
        <div class="whole">
          <LocationField
            label={words.newLocation(plainLine(own, 60))}
            hint=""
            add={words.replaceFile}
            onAdd={(located) => replace({ key: `at-${index}`, ...located })}
          />
        </div>
      )}
    </li>
  )
}

interface NewNameProps {
  own: string
  value: string
  problem: string | undefined
  onName: (name: string) => void
}

function NewName({ own, value, problem, onName }: NewNameProps) {
  const here = useRef<HTMLDivElement>(null)
  useEffect(() => here.current?.querySelector('input')?.focus(), [])
  return (
    <div class="whole" ref={here}>
      <TextField
        label={mineText.newName(plainLine(own, 60))}
        value={value}
        autocomplete="off"
        spellcheck={false}
        problem={problem && mineText.nameProblem(problem)}
        onText={onName}
      />
    </div>
  )
}
