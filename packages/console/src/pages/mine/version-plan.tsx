import { type VersionPlan as Plan, versionPlan } from '@tidegate/protocol/version-plan'
import { Words } from '../../parts/texts/words.js'
import { mineText } from '../../text/mine.js'

/** Most names of a part of the plan that are drawn. */
const SHOWN = 20

const PARTS = ['added', 'replaced', 'kept', 'moved', 'removed'] as const satisfies (keyof Plan)[]

interface VersionPlanProps {
  present: readonly string[]
  next: readonly string[]
  keepOld: boolean
}

/** What buyers will find after a change of the files, by names. */
export function VersionPlan({ present, next, keepOld }: VersionPlanProps) {
  const plan = versionPlan(present, next, keepOld)
  return (
    <dl class="facts wide" aria-label={mineText.plan}>
      {PARTS.filter((part) => plan[part].length > 0).map((part) => (
        <div key={part} data-part={part}>
          <dt>
            {part === 'removed' || part === 'replaced' ? (
              <span class="badge warn">{mineText.planned[part](plan[part].length)}</span>
            ) : (
              mineText.planned[part](plan[part].length)
            )}
          </dt>
          <dd>
            <Words text={plan[part].slice(0, SHOWN).join(', ')} most={800} />
            {plan[part].length > SHOWN && ` ${mineText.moreNames(plan[part].length - SHOWN)}`}
          </dd>
        </div>
      ))}
    </dl>
  )
}
