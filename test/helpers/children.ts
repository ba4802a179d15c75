import type { ChildProcess } from 'node:child_process'

const children = new Set<ChildProcess>()
let watched = false

/** Makes sure that a process does not outlive the test file that started it, however its tests end. */
export function owned<T extends ChildProcess>(child: T): T {
  if (!watched) process.once('exit', killChildren)
  watched = true
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

/** Kills every process that still runs. */
export function killChildren(): void {
  for (const child of children) child.kill('SIGKILL')
}
