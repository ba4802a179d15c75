import { DAY, HOUR, MINUTE } from '@tidegate/protocol/constants'

const exactForm = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' })
const dayForm = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
const minuteForm = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })
const relativeForm = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Returns "3 hours ago" within a week, otherwise the day, in the browser's time zone. */
export function shownTime(time: Date, now = new Date()): string {
  const away = time.getTime() - now.getTime()
  const distance = Math.abs(away)
  if (distance < MINUTE) return relativeForm.format(0, 'second')
  if (distance < HOUR) return relativeForm.format(Math.trunc(away / MINUTE), 'minute')
  if (distance < DAY) return relativeForm.format(Math.trunc(away / HOUR), 'hour')
  if (distance < 7 * DAY) return relativeForm.format(Math.trunc(away / DAY), 'day')
  return dayForm.format(time)
}

export const exactTime = (time: Date): string => exactForm.format(time)
export const minuteTime = (time: Date): string => minuteForm.format(time)
export const dayTime = (time: Date): string => dayForm.format(time)
