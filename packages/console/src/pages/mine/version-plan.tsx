import type { VersionPlan as Plan } from '@tidegate/protocol/version-plan'
import { Words } from '../../parts/texts/words.js'
import { mineText } from '../../text/mine.js'

/** Most names of a part of the plan that are drawn. */
const SHOWN = 20

const PARTS = ['added', 'replaced', 'renamed', 'kept', 'moved', 'removed'] as const satisfies (keyof Plan)[]

/** Parts of which buyers lose the present files. */
const GOES = new Set<keyof Plan>(['replaced', 'removed'])

/** What buyers will find after a change of the files, by names. */
export function VersionPlan({ plan }: { plan: Plan }) {
  return (
    <dl class="facts wide" aria-label={mineText.plan}>
      {PARTS.filter((part) => plan[part].length > 0).map((part) => (
        <div key={part} data-part={part}>
          <dt>
            <span class={GOES.has(part) ? 'badge warn' : ''}>{mineText.planned[part](plan[part].length)}</span>
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
