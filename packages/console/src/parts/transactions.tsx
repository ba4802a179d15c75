import { useEffect, useRef, useState } from 'preact/hooks'
import { stepText } from '../errors.js'
import { Icon } from '../icons/icon.js'
import { chainOf } from '../state/config.js'
import { type Entry, entries, isOpen, journal } from '../state/journal.js'
import { announce } from '../state/page/announce.js'
import { useStore } from '../state/store.js'
import { text } from '../text.js'
import { CopyButton } from './copy.js'
import { Dialog } from './dialog.js'
import { Words } from './texts/words.js'
import { Time } from './values.js'

/** Pending transactions in the header of every page, and a dialog with all. */
export function TransactionsButton() {
  const all = useStore(entries)
  const [open, setOpen] = useState(false)
  useTold(all)
  if (all.length === 0) return null
  const count = all.filter(isOpen).length
  const label = count > 0 ? text.transactions.open(count) : text.transactions.show
  return (
    <>
      <button
        type="button"
        class="icon-button counted"
        aria-haspopup="dialog"
        aria-label={label}
        title={label}
        onClick={() => setOpen(true)}
      >
        {count > 0 ? <span class="spinner" aria-hidden="true" /> : <Icon name="clock" />}
        {count > 0 && <span class="count">{count}</span>}
      </button>
      {open && (
        <Dialog title={text.transactions.title} onClose={() => setOpen(false)} wide>
          {all.length === 0 && <p class="muted">{text.transactions.none}</p>}
          <ul class="transactions">
            {all.map((entry) => (
              <TransactionRow key={entry.id} entry={entry} />
            ))}
          </ul>
        </Dialog>
      )}
    </>
  )
}

/** Announces settled transactions. */
function useTold(all: Entry[]): void {
  const before = useRef(new Map<string, Entry['state']>())
  useEffect(() => {
    for (const { id, state, step } of all) {
      const was = before.current.get(id)
      if (was !== undefined && was !== state) {
        if (state === 'mined' || state === 'failed' || state === 'replaced')
          announce(text.transactions[state](stepText(step)))
      }
    }
    before.current = new Map(all.map(({ id, state }) => [id, state]))
  }, [all])
}

/** A transaction with its purpose, state and hash. */
export function TransactionRow({ entry }: { entry: Entry }) {
  const { id, kind, title, step, state, at, hash, chainId } = entry
  const explorer = chainOf(chainId)?.explorer
  return (
    <li class={`transaction is-${state}`}>
      <StateMark state={state} />
      <div class="grow">
        <p>
          <strong>{text.transactions.kinds[kind]}</strong> <Words text={title} most={60} />
        </p>
        <p class="small muted">
          <Words text={stepText(step)} most={80} /> · {text.transactions.states[state]} · <Time time={new Date(at)} />
        </p>
        {state === 'unsure' && (
          <p class="small">
            {text.transactions.unsureHint}{' '}
            <button type="button" class="text-button" onClick={() => journal.dismiss(id)}>
              {text.transactions.notSent}
            </button>
          </p>
        )}
      </div>
      {hash && explorer && (
        <a
          class="icon-button"
          href={`${explorer}/tx/${hash}`}
          target="_blank"
          rel="noreferrer noopener"
          aria-label={text.asset.explorer}
        >
          <Icon name="external" />
        </a>
      )}
      {hash && <CopyButton value={hash} label={`${text.copy} ${text.transactions.hash}`} />}
      {!isOpen(entry) && (
        <button
          type="button"
          class="icon-button"
          aria-label={text.transactions.dismiss}
          title={text.transactions.dismiss}
          onClick={() => journal.dismiss(id)}
        >
          <Icon name="close" />
        </button>
      )}
    </li>
  )
}

export function StateMark({ state }: { state: Entry['state'] }) {
  if (state === 'asked' || state === 'sent') return <span class="spinner" aria-hidden="true" />
  return (
    <span class={`mark is-${state}`} aria-hidden="true">
      <Icon name={state === 'mined' ? 'check' : 'warning'} />
    </span>
  )
}
