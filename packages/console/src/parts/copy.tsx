import { useState } from 'preact/hooks'
import { Icon, type IconName } from '../icons/icon.js'
import { CONSOLE_LIMITS } from '../limits.js'
import { announce } from '../state/page/announce.js'
import { text } from '../text.js'

/** Copies a text to the clipboard. Returns whether the browser allowed it. */
export async function copyText(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value)
    return true
  } catch {
    return copiedBySelection(value)
  }
}

/** For pages without TLS, which have no clipboard API. */
function copiedBySelection(value: string): boolean {
  const before = document.activeElement as HTMLElement | null
  const area = document.createElement('textarea')
  area.value = value
  area.className = 'off-screen'
  // beside an open dialog nothing can be selected
  const within = before?.closest('dialog') ?? document.body
  within.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  before?.focus()
  return done
}

interface CopyProps {
  value: string
  /** Name of the copied text, for people who do not see what is beside the button. */
  label: string
  icon?: IconName
  children?: string
}

export function CopyButton({ value, label, icon = 'copy', children }: CopyProps) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    const done = await copyText(value)
    announce(done ? text.copied : text.copyFailed)
    setCopied(done)
    if (done) setTimeout(() => setCopied(false), CONSOLE_LIMITS.texts.copied)
  }
  return (
    <button
      type="button"
      class={children ? 'button quiet small' : 'icon-button'}
      aria-label={label}
      title={label}
      onClick={copy}
    >
      <Icon name={copied ? 'check' : icon} />
      {children && <span>{copied ? text.copied : children}</span>}
    </button>
  )
}
