import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from '../icons/icon.js'

interface ButtonProps {
  children: ComponentChildren
  onClick?: (event: MouseEvent) => void
  kind?: 'primary' | 'secondary' | 'quiet' | 'danger'
  size?: 'small' | 'normal' | 'large'
  icon?: IconName
  type?: 'button' | 'submit'
  /** Whether work is running: the button keeps its place and does nothing. */
  busy?: boolean
  disabled?: boolean
  label?: string
}

export function Button(props: ButtonProps) {
  const {
    children,
    onClick,
    kind = 'secondary',
    size = 'normal',
    icon,
    type = 'button',
    busy = false,
    disabled,
    label,
  } = props
  return (
    <button
      type={type}
      class={`button ${kind} ${size}`}
      // a busy button keeps the focus
      aria-disabled={busy || disabled ? 'true' : undefined}
      aria-busy={busy ? 'true' : undefined}
      aria-label={label}
      onClick={(event) => {
        if (busy || disabled) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {busy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  )
}

interface LinkProps {
  href: string
  children: ComponentChildren
  kind?: 'primary' | 'secondary' | 'quiet'
  icon?: IconName
}

export function ButtonLink({ href, children, kind = 'secondary', icon }: LinkProps) {
  return (
    <a class={`button ${kind} normal`} href={href}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </a>
  )
}
