const ask = (event: BeforeUnloadEvent) => event.preventDefault()
let underWay = 0

/** Whether uploads or downloads are under way, which end with the page. */
export const isBusy = (): boolean => underWay > 0

/** Says that work has begun that ends with the page: the browser asks before it is left. Answers what ends it. */
export function beginWork(): () => void {
  underWay += 1
  if (underWay === 1) addEventListener('beforeunload', ask)
  return () => {
    underWay -= 1
    if (underWay === 0) removeEventListener('beforeunload', ask)
  }
}
