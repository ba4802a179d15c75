/** Illustrations for empty pages and lists. */
const PICTURES = {
  /** Water without a boat. */
  empty: [
    ['soft', 'M20 92c14-10 28-10 42 0s28 10 42 0 28-10 42 0 20 8 34 2v26H20z'],
    ['line', 'M20 84c14-10 28-10 42 0s28 10 42 0 28-10 42 0 20 8 34 2'],
    ['accent', 'M100 66V26l30 34zM94 66V36L72 60z'],
    ['line', 'M64 70h76l-10 12H74z'],
  ],
  /** A lens over water. */
  search: [
    ['soft', 'M92 96a38 38 0 1 0 0-76 38 38 0 0 0 0 76z'],
    ['line', 'M92 96a38 38 0 1 0 0-76 38 38 0 0 0 0 76zM120 86l28 28'],
    ['accent', 'M66 62c9-8 17-8 26 0s17 8 26 0'],
  ],
  /** A cut line. */
  broken: [
    ['soft', 'M30 110h140V62c0-8-6-14-14-14H44c-8 0-14 6-14 14z'],
    ['line', 'M30 78h44l10 14M170 78h-46l-10-16'],
    ['accent', 'M100 66l-6 12h14l-8 16'],
  ],
  /** An open gate. */
  gate: [
    ['soft', 'M36 116h128V40c0-10-8-18-18-18H54c-10 0-18 8-18 18z'],
    ['line', 'M60 116V44M140 116V44M60 44h80'],
    ['accent', 'M60 84c13-12 27-12 40 0s27 12 40 0'],
  ],
  /** A rising sheet. */
  publish: [
    ['soft', 'M60 20h56l24 24v76H60z'],
    ['line', 'M60 20h56l24 24v76H60zM116 20v24h24'],
    ['accent', 'M100 100V62M84 76l16-16 16 16'],
  ],
} as const

export type PictureName = keyof typeof PICTURES

export function Picture({ name }: { name: PictureName }) {
  return (
    <svg class="picture" viewBox="0 0 200 132" aria-hidden="true" focusable="false">
      {PICTURES[name].map(([kind, d]) => (
        <path key={d} class={`picture-${kind}`} d={d} />
      ))}
    </svg>
  )
}
