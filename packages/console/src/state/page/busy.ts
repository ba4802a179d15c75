const ask = (event: BeforeUnloadEvent) => event.preventDefault()
let underWay = 0

/** Whether uploads or downloads are running, which end with the page. */
export const isBusy = (): boolean => underWay > 0

/**
 * Marks the start of work that ends with the page, so that the browser asks before leaving. Returns a function that marks
 * its end.
 */
export function beginWork(): () => void {
  underWay += 1
  if (underWay === 1) addEventListener('beforeunload', ask)
  return () => {
    underWay -= 1
    if (underWay === 0) removeEventListener('beforeunload', ask)
  }
}
