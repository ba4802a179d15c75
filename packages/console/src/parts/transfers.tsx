import { useEffect, useRef } from 'preact/hooks'
import { worded } from '../errors.js'
import { shownBytes } from '../format/bytes.js'
import { FileIcon } from '../icons/file-icon.js'
import { Icon } from '../icons/icon.js'
import { cancelTransfer, pauseTransfer, resumeTransfer, type Transfer, transfers } from '../state/buying/transfers.js'
import { announce } from '../state/page/announce.js'
import { useStore } from '../state/store.js'
import { text } from '../text.js'
import { Ring } from './ring.js'
import { Words } from './texts/words.js'

/** Downloads of the page, at the foot of every page. */
export function Transfers() {
  const all = useStore(transfers)
  useTold(all)
  if (all.length === 0) return null
  return (
    <section class="tray" aria-label={text.transfers.title}>
      <ul>
        {all.map((transfer) => (
          <Row key={transfer.id} transfer={transfer} />
        ))}
      </ul>
    </section>
  )
}

function useTold(all: Transfer[]): void {
  const before = useRef(new Map<number, Transfer['status']>())
  useEffect(() => {
    for (const { id, status, name } of all) {
      if (before.current.get(id) === status) continue
      if (status === 'done') announce(text.transfers.announceDone(name))
      if (status === 'failed') announce(text.transfers.announceFailed(name))
    }
    before.current = new Map(all.map(({ id, status }) => [id, status]))
  }, [all])
}

function Row({ transfer }: { transfer: Transfer }) {
  const { id, name, status, received, total, resumed } = transfer
  const paused = status === 'paused'
  const under = status === 'starting' || status === 'running' || paused || status === 'saving'
  const share = total ? received / total : total === 0 ? 1 : undefined
  return (
    <li class={`transfer is-${status}`} data-status={status}>
      {under ? (
        <Ring share={status === 'starting' ? undefined : share} label={text.transfers.progress(name)} />
      ) : (
        <FileIcon name={name} />
      )}
      <div class="grow">
        <p class="transfer-name">
          <Words text={name} most={80} />
        </p>
        <p class="small muted">
          {[stateOf(transfer), under && received > 0 ? progressOf(received, total) : ''].filter(Boolean).join(' · ')}
          {resumed > 0 && ` · ${text.transfers.taken(resumed)}`}
        </p>
        {transfer.verified && (
          <p class="mono tiny muted" title={transfer.verified}>
            {`${transfer.verified.slice(0, 16)}…${transfer.verified.slice(-8)}`}
          </p>
        )}
      </div>
      {(status === 'running' || paused) && (
        <Act
          icon={paused ? 'play' : 'pause'}
          label={paused ? text.transfers.resume : text.transfers.pause}
          onClick={() => (paused ? resumeTransfer(id) : pauseTransfer(id))}
        />
      )}
      <Act
        icon="close"
        label={under ? text.transfers.cancel : text.transfers.remove}
        onClick={() => cancelTransfer(id)}
      />
    </li>
  )
}

function Act({ icon, label, onClick }: { icon: 'pause' | 'play' | 'close'; label: string; onClick: () => void }) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  )
}

function stateOf({ status, error, verified }: Transfer): string {
  const { transfers: words } = text
  if (status === 'failed') {
    const { title, hint } = worded(error)
    return [words.failed, title, hint].filter(Boolean).join(' · ')
  }
  if (status === 'done') return verified ? words.verified : words.done
  if (status === 'paused') return words.paused
  return status === 'saving' ? words.saving : status === 'starting' ? words.starting : ''
}

const progressOf = (received: number, total: number | undefined) =>
  total === undefined ? shownBytes(received) : text.transfers.of(shownBytes(received), shownBytes(total))
