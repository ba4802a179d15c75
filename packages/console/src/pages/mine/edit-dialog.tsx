import { type Asset, asset, type Changed, update } from '@tidegate/client'
import { versionPlan } from '@tidegate/protocol/version-plan'
import { useState } from 'preact/hooks'
import { stepText } from '../../errors.js'
import { Button } from '../../parts/button.js'
import { Dialog } from '../../parts/dialog.js'
import { termsProblem } from '../../parts/fields/terms-field.js'
import { Problem, Skeleton } from '../../parts/states.js'
import { contextNow } from '../../state/context.js'
import { announce } from '../../state/page/announce.js'
import { changesOf, type Edited, editedOf } from '../../state/publishing/changes.js'
import { type NewFiles as NewFilesState, uploaded } from '../../state/publishing/new-files.js'
import { useResource } from '../../state/resource.js'
import { mineText } from '../../text/mine.js'
import { text } from '../../text.js'
import { EditForm } from './edit-form.js'
import { NewFiles } from './new-files.js'

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
  const [files, setFiles] = useState<NewFilesState>({ files: [], keepOld: true })
  const [step, setStep] = useState<string>()
  const [error, setError] = useState<unknown>()
  const busy = step !== undefined
  const present = (asset.services[0]?.files ?? []).map(({ index, name }) => name ?? text.asset.fileNumber(index))
  const next = files.files.map(({ label }) => label)
  const plan = next.length > 0 ? versionPlan(present, next, files.keepOld) : undefined
  const removed = plan?.removed.length ?? 0
  const saveLabel = removed > 0 ? words.saveRemoving(removed) : words.save
  const save = async () => {
    setStep('')
    setError(undefined)
    let current = ''
    const context = contextNow(() => ({ kind: 'update', did, title: name.slice(0, 200), step: current }))
    try {
      const changes = changesOf(before, edited)
      const objects = await uploaded(files.files, (label, percent) => setStep(words.uploading(label, percent)))
      const { changed } = await update(context, did, {
        ...changes,
        ...(objects.length > 0 ? { files: objects, keepOld: files.keepOld } : {}),
        onStep: (next) => {
          current = next
          setStep(next)
        },
      })
      announce(changed.length === 0 ? words.nothingChanged : words.saved)
      onClose((told) => isShown(asset, told, changed))
    } catch (refusal) {
      setError(refusal)
      setStep(undefined)
    }
  }
  return (
    <>
      <EditForm asset={asset} edited={edited} change={(changes) => setEdited((now) => ({ ...now, ...changes }))} />
      <NewFiles plan={plan} value={files} onChange={setFiles} />
      {error !== undefined && <Problem error={error} />}
      <div class="dialog-actions">
        <Button onClick={() => onClose()}>{text.cancel}</Button>
        <Button
          kind={removed > 0 ? 'danger' : 'primary'}
          busy={busy}
          disabled={edited.name.trim() === '' || termsProblem(edited.terms) !== undefined}
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
