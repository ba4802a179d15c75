const RADIUS = 16
const AROUND = 2 * Math.PI * RADIUS

/** A ring that shows progress in per cent. Without a share it turns. */
export function Ring({ share, label }: { share: number | undefined; label: string }) {
  const percent = share === undefined ? undefined : Math.floor(Math.min(1, Math.max(0, share)) * 100)
  return (
    <div
      class={percent === undefined ? 'ring turning' : 'ring'}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(percent === undefined ? {} : { 'aria-valuenow': percent })}
    >
      <svg viewBox="0 0 40 40" aria-hidden="true" focusable="false">
        <circle class="ring-ground" cx="20" cy="20" r={RADIUS} />
        <circle
          class="ring-done"
          cx="20"
          cy="20"
          r={RADIUS}
          stroke-dasharray={AROUND}
          stroke-dashoffset={AROUND * (1 - (percent ?? 25) / 100)}
        />
      </svg>
      {percent !== undefined && <span aria-hidden="true">{percent}</span>}
    </div>
  )
}
