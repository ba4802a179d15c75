import type { ComponentChildren } from 'preact'
import { worded } from '../errors.js'
import { Icon } from '../icons/icon.js'
import { Picture, type PictureName } from '../icons/illustrations.js'
import { text } from '../text.js'
import { Button } from './button.js'

interface EmptyProps {
  picture: PictureName
  title: string
  hint: string
  children?: ComponentChildren
  /** Whether it is the only content of the page. */
  alone?: boolean
}

/** Replaces missing content: the reason and the remedy. */
export function Empty({ picture, title, hint, children, alone = false }: EmptyProps) {
  const Heading = alone ? 'h1' : 'h2'
  return (
    <div class="empty">
      <Picture name={picture} />
      <Heading>{title}</Heading>
      <p class="muted">{hint}</p>
      {children && <div class="row center">{children}</div>}
    </div>
  )
}

interface FailedProps {
  title: string
  error: unknown
  onRetry?: () => void
  /** Whether it is the only content of the page. */
  alone?: boolean
}

/** Replaces content that failed to load. */
export function Failed({ title, error, onRetry, alone = false }: FailedProps) {
  const Heading = alone ? 'h1' : 'h2'
  const { title: what, hint, code } = worded(error)
  return (
    <div class="empty" role="alert">
      <Picture name="broken" />
      <Heading>{title}</Heading>
      <p>{what}</p>
      {hint && <p class="muted">{hint}</p>}
      {code && <p class="muted mono small">{code}</p>}
      {onRetry && (
        <div class="row center">
          <Button icon="retry" onClick={onRetry}>
            {text.retry}
          </Button>
        </div>
      )}
    </div>
  )
}

/** A message: the event and the remedy. */
export function Problem({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { title, hint, code } = worded(error)
  return (
    <div class="notice bad" role="alert">
      <Icon name="warning" />
      <div>
        <p>{title}</p>
        {hint && <p class="small">{hint}</p>}
        {code && <p class="mono tiny">{code}</p>}
        {onRetry && (
          <button type="button" class="text-button" onClick={onRetry}>
            {text.retry}
          </button>
        )}
      </div>
    </div>
  )
}

interface NoticeProps {
  kind?: 'plain' | 'good' | 'warn'
  children: ComponentChildren
}

export function Notice({ kind = 'plain', children }: NoticeProps) {
  return (
    <div class={`notice ${kind}`}>
      <Icon name={kind === 'good' ? 'check' : kind === 'warn' ? 'warning' : 'info'} />
      <div>{children}</div>
    </div>
  )
}

/** Placeholder lines for text. */
export function Skeleton({ lines = 3, block = false }: { lines?: number; block?: boolean }) {
  return (
    <div class={block ? 'skeleton block' : 'skeleton'} aria-hidden="true">
      {Array.from({ length: lines }, (_, at) => (
        // the lines are all alike
        <span key={at} />
      ))}
    </div>
  )
}
