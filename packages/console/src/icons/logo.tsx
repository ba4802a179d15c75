/** A gate with water that flows through it. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect class="logo-ground" width="32" height="32" rx="8" />
      <path class="logo-gate" d="M8 9v14M24 9v14" />
      <path class="logo-water" d="M8 16c2.7-3 5.3-3 8 0s5.3 3 8 0" />
    </svg>
  )
}
