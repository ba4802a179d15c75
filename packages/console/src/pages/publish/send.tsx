import { useState } from 'preact/hooks'
import { stepText } from '../../errors.js'
import { Icon } from '../../icons/icon.js'
import { Button } from '../../parts/button.js'
import { Notice, Problem } from '../../parts/states.js'
import { StateMark } from '../../parts/transactions.js'
import { chainOf, config } from '../../state/config.js'
import { type Entry, entries, journal } from '../../state/journal.js'
import { choosingWallet } from '../../state/page/overlays.js'
import { draft } from '../../state/publishing/draft.js'
import { progressOf, publishDraft, publishing } from '../../state/publishing/publication.js'
import { useStore } from '../../state/store.js'
import { publishText } from '../../text/publish.js'
import { text } from '../../text.js'
import { switchChain } from '../../wallet/networks.js'
import { walletState } from '../../wallet/wallet.js'

/** The two transactions, and the button for the next one. */
export function Send() {
  const now = useStore(draft)
  const all = useStore(entries)
  const run = useStore(publishing)
  const progress = progressOf(all, now.id)
  const words = publishText
  return (
    <div class="stack send">
      <ol class="publish-transactions">
        {words.transactions.map((label, at) => {
          const entry = latest(all, now.id, at === 0 ? 'create' : 'metadata')
          const state = entry?.state ?? 'todo'
          return (
            <li key={label} class={`transaction is-${state}`}>
              {entry ? <StateMark state={entry.state} /> : <span class="step-number">{at + 1}</span>}
              <div class="grow">
                <p>{label}</p>
                <p class="small muted">{words.transactionStates[state]}</p>
              </div>
              {state === 'mined' && <Icon name="check" />}
            </li>
          )
        })}
      </ol>
      {run.error !== undefined && !run.running && <Problem error={run.error} />}
      {progress.phase === 'unsure' && (
        <Notice kind="warn">
          <p>{text.transactions.unsureHint}</p>
          <button type="button" class="text-button" onClick={() => journal.dismiss(progress.entry.id)}>
            {text.transactions.notSent}
          </button>
        </Notice>
      )}
      {progress.phase === 'created' && !run.running && <Notice>{words.goOnHint}</Notice>}
      <Next phase={progress.phase} running={run.running} step={run.step} />
    </div>
  )
}

/** Returns the newest transaction of a part: a retry replaces the ones before it. */
function latest(all: readonly Entry[], id: string, part: Entry['part']): Entry | undefined {
  return all.filter((entry) => entry.draft === id && entry.part === part).sort((a, b) => b.at - a.at)[0]
}

function Next({ phase, running, step }: { phase: string; running: boolean; step: string }) {
  const wallet = useStore(walletState)
  const { chainId = config().chains[0]?.chainId } = useStore(draft)
  const [error, setError] = useState<unknown>()
  const words = publishText
  if (running || phase === 'creating' || phase === 'finishing' || phase === 'asked')
    return (
      <Button kind="primary" size="large" busy>
        {running && step ? `${stepText(step)}…` : words.publishing}
      </Button>
    )
  if (phase === 'unsure') return null
  if (wallet.status !== 'connected')
    return (
      <Button kind="primary" size="large" icon="wallet" onClick={() => choosingWallet.set(true)}>
        {words.connect}
      </Button>
    )
  if (chainId !== undefined && wallet.chainId !== chainId)
    return (
      <>
        <Button
          kind="primary"
          size="large"
          icon="swap"
          onClick={() => void switchChain(wallet.wallet.provider, chainId).then(() => setError(undefined), setError)}
        >
          {text.wallet.switchTo(chainOf(chainId)?.name ?? text.wallet.chain(chainId))}
        </Button>
        {error !== undefined && <Problem error={error} />}
      </>
    )
  return (
    <Button kind="primary" size="large" icon="upload" onClick={() => void publishDraft()}>
      {phase === 'created' ? words.goOn : words.publish}
    </Button>
  )
}
