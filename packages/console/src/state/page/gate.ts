/** Creates a gate that blocks while it is closed. */
export function gate() {
  let opened: Promise<void> | undefined
  let open = () => {}
  return {
    close(): void {
      opened ??= new Promise((resolve) => {
        open = resolve
      })
    },
    open(): void {
      opened = undefined
      open()
    },
    /** Resolves when it is open. Rejects with the signal's reason. */
    async passed(signal: AbortSignal): Promise<void> {
      while (opened) {
        signal.throwIfAborted()
        const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
        await Promise.race([opened, ended])
      }
      signal.throwIfAborted()
    },
  }
}
