import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../icons/icon.js'
import { placeOf, returnTo } from '../state/page/focus.js'
import { text } from '../text.js'

interface DialogProps {
  title: string
  onClose: () => void
  children: ComponentChildren
  /** Buttons at its end. */
  actions?: ComponentChildren
  wide?: boolean
}

/** A native dialog: it keeps the focus, Escape closes it, and then the focus returns. */
export function Dialog({ title, onClose, children, actions, wide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // before any other interaction
  useLayoutEffect(() => {
    const before = placeOf(document.activeElement)
    dialog.current?.showModal()
    // after its removal: a dialog keeps all others from the focus. A focus that has moved on meanwhile stays.
    return () => queueMicrotask(() => before && document.activeElement === document.body && returnTo(before))
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape and the button close it
    <dialog
      ref={dialog}
      class={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onClose={onClose}
      onClick={({ target }) => target === dialog.current && dialog.current?.close()}
    >
      <div class="dialog-body">
        <div class="dialog-head">
          <h2 id={id}>{title}</h2>
          <button type="button" class="icon-button" aria-label={text.close} onClick={() => dialog.current?.close()}>
            <Icon name="close" />
          </button>
        </div>
        {children}
        {actions && <div class="dialog-actions">{actions}</div>}
      </div>
    </dialog>
  )
}
