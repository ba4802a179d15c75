import type { Amount, Price } from '@tidegate/client'
import { SECONDS } from '@tidegate/protocol/constants'
import { grouped, shownAmount } from '../format/amount.js'
import { exactBytes, shownBytes } from '../format/bytes.js'
import { dayTime, exactTime, minuteTime, shownTime } from '../format/time.js'
import { text } from '../text.js'
import { Words } from './texts/words.js'

/** An amount with its token. A title shows all digits of a shortened one. */
export function AmountText({ amount, whole = false }: { amount: Amount; whole?: boolean }) {
  const shown = shownAmount(amount)
  const cut = shown.shortened && !whole
  return (
    <span class="amount" {...(cut ? { title: text.exactly(`${shown.exact} ${amount.symbol}`) } : {})}>
      {cut ? shown.text : shown.exact} <Words text={amount.symbol} most={20} />
    </span>
  )
}

/** The price of an order in one line. */
export function PriceText({ price, whole = false }: { price: Price; whole?: boolean }) {
  const { type, total, told } = price
  if (type === 'unavailable') return <span class="muted">{told ? text.unknownPrice : text.notForSale}</span>
  if (total.length === 0) return <span class="free">{text.free}</span>
  return (
    <span class="price" {...(told ? { title: text.catalogue.indexPrice } : {})}>
      {total.map((amount, at) => (
        <>
          {at > 0 && text.and}
          <AmountText key={amount.token} amount={amount} whole={whole} />
        </>
      ))}
    </span>
  )
}

/** Returns a price as text, for labels of buttons. Never shortened: people pay it. */
export function priceLine({ total }: Price): string {
  if (total.length === 0) return text.free
  return total.map(({ amount, symbol }) => `${grouped(amount)} ${symbol}`).join(text.and)
}

/** A time in the browser's time zone, with the exact one as title. */
export function Time({ time, as = 'relative' }: { time: Date; as?: 'relative' | 'day' | 'minute' }) {
  if (!Number.isFinite(time.getTime())) return <span class="muted">{text.asset.notTold}</span>
  const shown = as === 'relative' ? shownTime(time) : as === 'day' ? dayTime(time) : minuteTime(time)
  return (
    <time dateTime={time.toISOString()} title={exactTime(time)}>
      {shown}
    </time>
  )
}

export function Bytes({ bytes }: { bytes: number }) {
  return <span title={text.bytesExactly(exactBytes(bytes))}>{shownBytes(bytes)}</span>
}

/** Returns a duration of seconds as text: "30 days". */
export function durationText(seconds: number): string {
  const { durations } = text
  const { day, hour, minute } = SECONDS
  if (seconds % day === 0) return durations.days(seconds / day)
  if (seconds % hour === 0) return durations.hours(seconds / hour)
  if (seconds % minute === 0) return durations.minutes(seconds / minute)
  return durations.seconds(seconds)
}
