import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../../icons/icon.js'
import { Button } from '../../parts/button.js'
import { Dialog } from '../../parts/dialog.js'
import { Page } from '../../parts/page.js'
import { entries } from '../../state/journal.js'
import { discardDraft, draft } from '../../state/publishing/draft.js'
import { progressOf, publishing } from '../../state/publishing/publication.js'
import { removeUpload } from '../../state/publishing/uploads.js'
import { useStore } from '../../state/store.js'
import { text } from '../../text.js'
import { firstOpenStep, type Problems, problemsOf } from './checks.js'
import { DescriptionStep } from './description-step.js'
import { Done } from './done.js'
import { FilesStep } from './files-step.js'
import { Preview } from './preview.js'
import { PriceStep } from './price-step.js'
import { Review } from './review.js'

/** From a file to an asset, in four steps. What was entered survives a reload. */
export function Publish() {
  const now = useStore(draft)
  const progress = progressOf(useStore(entries), now.id)
  const { running } = useStore(publishing)
  const begun = progress.phase !== 'none' || running
  const first = begun ? 3 : now.files.length > 0 ? firstOpenStep(now) : 0
  const [step, setStep] = useState(first)
  const [problems, setProblems] = useState<Problems>({})
  const form = useRef<HTMLFormElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const moved = useRef(false)
  // another draft, begun here or in another tab
  useEffect(() => setStep(first), [now.id])
  // when the step changes
  useEffect(() => {
    if (moved.current) heading.current?.focus()
    moved.current = true
  }, [step])
  // the first of what is wrong
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), [problems])
  const { publish: words } = text
  if (progress.phase === 'published')
    return (
      <Page title={words.title} own>
        <Done did={progress.did} name={now.name} another={discardDraft} />
      </Page>
    )
  const go = (to: number) => {
    const found = to > step ? problemsOf(now, step) : {}
    setProblems(found)
    if (Object.keys(found).length === 0) setStep(to)
  }
  return (
    <Page title={words.title} lead={words.lead} heading={<StartOver hidden={begun} />}>
      <Steps at={step} go={begun ? undefined : go} />
      <div class="publish">
        <form
          ref={form}
          class="panel"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            go(step + 1)
          }}
        >
          <h2 ref={heading} tabIndex={-1}>
            {words.steps[step]}
          </h2>
          {step === 0 && <FilesStep problem={problems.files} />}
          {step === 1 && <DescriptionStep problems={problems} />}
          {step === 2 && <PriceStep problems={problems} />}
          {step === 3 && <Review edit={begun ? undefined : setStep} />}
          {step < 3 && (
            <footer class="form-actions">
              {step > 0 ? (
                <Button onClick={() => setStep(step - 1)} icon="left">
                  {words.back}
                </Button>
              ) : (
                <span />
              )}
              <Button type="submit" kind="primary">
                {words.next}
              </Button>
            </footer>
          )}
        </form>
        <aside class="publish-side" aria-label={words.preview}>
          <h2 class="small muted">{words.preview}</h2>
          <Preview draft={now} />
        </aside>
      </div>
    </Page>
  )
}

function Steps({ at, go }: { at: number; go: ((step: number) => void) | undefined }) {
  const { steps, stepOf } = text.publish
  return (
    <ol class="steps" aria-label={stepOf(at + 1, steps.length)}>
      {steps.map((name, index) => (
        <li
          key={name}
          class={index === at ? 'here' : index < at ? 'past' : ''}
          aria-current={index === at ? 'step' : undefined}
        >
          {index < at && go ? (
            <button type="button" class="step" aria-label={name} onClick={() => go(index)}>
              <span class="step-number">
                <Icon name="check" />
              </span>
              <span>{name}</span>
            </button>
          ) : (
            <span class="step">
              <span class="step-number">{index + 1}</span>
              <span>{name}</span>
            </span>
          )}
        </li>
      ))}
    </ol>
  )
}

function StartOver({ hidden }: { hidden: boolean }) {
  const { files, name } = useStore(draft)
  const [asking, setAsking] = useState(false)
  if (hidden || (files.length === 0 && !name)) return null
  return (
    <>
      <Button kind="quiet" size="small" icon="trash" onClick={() => setAsking(true)}>
        {text.publish.startOver}
      </Button>
      {asking && (
        <Dialog
          title={text.publish.startOver}
          onClose={() => setAsking(false)}
          actions={
            <>
              <Button onClick={() => setAsking(false)}>{text.cancel}</Button>
              <Button
                kind="danger"
                onClick={() => {
                  for (const { key } of draft.get().files) removeUpload(key)
                  discardDraft()
                  setAsking(false)
                }}
              >
                {text.publish.startOver}
              </Button>
            </>
          }
        >
          <p>{text.publish.startOverQuestion}</p>
        </Dialog>
      )}
    </>
  )
}
