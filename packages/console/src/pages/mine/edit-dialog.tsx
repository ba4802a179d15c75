import { type Asset, asset, type Changed, update } from '@tidegate/client'
import { ASSET_LIMITS } from '@tidegate/protocol/asset'
import { renameProblem, requestedEdits, versionPlan } from '@tidegate/protocol/version-plan'
import { useMemo, useState } from 'preact/hooks'
import { stepText } from '../../errors.js'
import { Button } from '../../parts/button.js'
import { Dialog } from '../../parts/dialog.js'
import { TextField } from '../../parts/fields/field.js'
import { termsProblem } from '../../parts/fields/terms-field.js'
import { Problem, Skeleton } from '../../parts/states.js'
import { contextNow } from '../../state/context.js'
import { announce } from '../../state/page/announce.js'
import { changesOf, type Edited, editedOf } from '../../state/publishing/changes.js'
import { effective, keepEdits, keptEdits, newFilesOf } from '../../state/publishing/file-edits.js'
import { type NewFiles as NewFilesState, uploaded } from '../../state/publishing/new-files.js'
import { useResource } from '../../state/resource.js'
import { mineText } from '../../text/mine.js'
import { text } from '../../text.js'
import { EditForm } from './edit-form.js'
import { NewFiles } from './new-files.js'
import { PresentFiles } from './present-files.js'

/** Edits an asset. Only changed fields are sent. */
export function EditDialog({ did, onClose }: { did: string; onClose: (isThere?: (told: Asset) => boolean) => void }) {
  const { value, error, reload } = useResource(did, (signal) => asset(contextNow(), did, { signal }))
  // one dialog from the start, so that the focus stays in it when the form appears
  return (
    <Dialog title={mineText.editTitle} onClose={() => onClose()} wide>
      {value ? (
        <Editing asset={value} onClose={onClose} />
      ) : error === undefined ? (
        <Skeleton lines={6} />
      ) : (
        <Problem error={error} onRetry={reload} />
      )}
    </Dialog>
  )
}

function Editing({ asset, onClose }: { asset: Asset; onClose: (isThere?: (told: Asset) => boolean) => void }) {
  const { did, name } = asset
  const words = mineText
  const before = editedOf(asset)
  const [edited, setEdited] = useState<Edited>(before)
  const { files: present = [], filesVersion } =
    asset.services.find(({ type }) => type === 'access') ?? asset.services[0] ?? {}
  const [files, setFiles] = useState<NewFilesState>(() => ({
    files: [],
    keepOld: true,
    edits: keptEdits(did, filesVersion),
  }))
  const [notes, setNotes] = useState('')
  const [step, setStep] = useState<string>()
  const [error, setError] = useState<unknown>()
  const busy = step !== undefined
  const names = present.map(({ name }) => name)
  const next = files.files.map(({ label }) => label)
  const isReplaced = next.length > 0 && !files.keepOld
  const edits = isReplaced ? new Map() : effective(files.edits, names)
  // not again for each key press in another field
  const problem = useMemo(() => renameProblem(names, next, edits), [asset, files])
  const shown = present.map(({ index, name }) => name ?? text.asset.fileNumber(index))
  const plan = useMemo(
    () => (next.length > 0 || edits.size > 0 ? versionPlan(shown, next, !isReplaced, edits) : undefined),
    [asset, files],
  )
  const removed = plan?.removed.length ?? 0
  const isEmpty = next.length === 0 && removed > 0 && removed === present.length
  const isLost = [...edits.values()].some((edit) => 'lost' in edit)
  const changeTexts = (changes: Partial<Edited>) => {
    setEdited((now) => ({ ...now, ...changes }))
    // it is about what was sent
    setError(undefined)
  }
  const changeFiles = (changed: NewFilesState) => {
    setFiles(changed)
    setError(undefined)
    if (changed.edits !== files.edits) keepEdits(did, filesVersion, changed.edits)
  }
  const saveLabel = removed > 0 ? words.saveRemoving(removed) : words.save
  const save = async () => {
    setStep('')
    setError(undefined)
    let current = ''
    const context = contextNow(() => ({ kind: 'update', did, title: name.slice(0, 200), step: current }))
    try {
      const changes = changesOf(before, edited)
      const sending = [...files.files, ...(isReplaced ? [] : newFilesOf(files.edits))]
      const objects = await uploaded(sending, (label, percent) => setStep(words.uploading(label, percent)))
      const added = objects.splice(0, next.length)
      const version =
        edits.size > 0
          ? { files: added, keepOld: requestedEdits(edits, present, objects), filesVersion }
          : added.length > 0
            ? { files: added, keepOld: files.keepOld }
            : {}
      const { changed } = await update(context, did, {
        ...changes,
        ...version,
        ...(plan && notes.trim() ? { notes } : {}),
        onStep: (next) => {
          current = next
          setStep(next)
        },
      })
      keepEdits(did, filesVersion, new Map())
      announce(changed.length === 0 ? words.nothingChanged : words.saved)
      onClose((told) => isShown(asset, told, changed))
    } catch (refusal) {
      setError(refusal)
      setStep(undefined)
    }
  }
  return (
    <>
      <EditForm asset={asset} edited={edited} change={changeTexts} />
      {present.length > 0 && !isReplaced && (
        <PresentFiles
          files={present}
          edits={files.edits}
          problem={problem}
          onChange={(edits) => changeFiles({ ...files, edits })}
        />
      )}
      <NewFiles plan={plan} value={files} onChange={changeFiles} />
      {plan && (
        <TextField
          label={words.notes}
          hint={words.notesHint}
          rows={3}
          maxLength={ASSET_LIMITS.notes}
          value={notes}
          onText={setNotes}
        />
      )}
      {isEmpty && <p class="problem small">{words.allRemoved}</p>}
      {error !== undefined && <Problem error={error} />}
      <div class="dialog-actions">
        <Button
          onClick={() => {
            keepEdits(did, filesVersion, new Map())
            onClose()
          }}
        >
          {text.cancel}
        </Button>
        <Button
          kind={removed > 0 ? 'danger' : 'primary'}
          busy={busy}
          disabled={
            edited.name.trim() === '' ||
            termsProblem(edited.terms) !== undefined ||
            problem !== undefined ||
            isEmpty ||
            isLost
          }
          onClick={save}
        >
          {busy ? (step ? `${stepText(step)}…` : words.saving) : saveLabel}
        </Button>
      </div>
    </>
  )
}

/** Whether the index shows a change. Prices come from the chain. */
function isShown(before: Asset, told: Asset, changed: Changed['changed']): boolean {
  if (changed.some((field) => field !== 'price' && field !== 'state'))
    return told.updated?.getTime() !== before.updated?.getTime()
  return !changed.includes('state') || told.state !== before.state
}
