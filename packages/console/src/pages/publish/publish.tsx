import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../parts/button.js'
import { Page } from '../../parts/page.js'
import { entries } from '../../state/journal.js'
import { discardDraft, draft } from '../../state/publishing/draft.js'
import { progressOf, publishing } from '../../state/publishing/publication.js'
import { useStore } from '../../state/store.js'
import { publishText } from '../../text/publish.js'
import { firstOpenStep, type Problems, problemsOf } from './checks.js'
import { DescriptionStep } from './description-step.js'
import { Done } from './done.js'
import { FilesStep } from './files-step.js'
import { Preview } from './preview.js'
import { PriceStep } from './price-step.js'
import { Review } from './review.js'
import { StartOver } from './start-over.js'
import { Steps } from './steps.js'

/** From files to an asset in four steps. The draft survives a reload. */
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
  // a new draft, of this tab or of another one
  useEffect(() => setStep(first), [now.id])
  useEffect(() => {
    if (moved.current) heading.current?.focus()
    moved.current = true
  }, [step])
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), [problems])
  const words = publishText
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
    <Page title={words.title} lead={words.lead} heading={begun ? undefined : <StartOver />}>
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
          {step < 3 && <StepButtons step={step} back={() => setStep(step - 1)} />}
        </form>
        <aside class="publish-side" aria-label={words.preview}>
          <h2 class="small muted">{words.preview}</h2>
          <Preview draft={now} />
        </aside>
      </div>
    </Page>
  )
}

function StepButtons({ step, back }: { step: number; back: () => void }) {
  const words = publishText
  return (
    <footer class="form-actions">
      {step > 0 ? (
        <Button onClick={back} icon="left">
          {words.back}
        </Button>
      ) : (
        <span />
      )}
      <Button type="submit" kind="primary">
        {words.next}
      </Button>
    </footer>
  )
}
