import { Icon } from '../../icons/icon.js'
import { publishText } from '../../text/publish.js'

/** The steps of publishing. `go` leads back to an earlier one. */
export function Steps({ at, go }: { at: number; go: ((step: number) => void) | undefined }) {
  const { steps, stepOf } = publishText
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
