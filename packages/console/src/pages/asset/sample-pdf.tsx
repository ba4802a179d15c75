import { useEffect, useRef, useState } from 'preact/hooks'
import { drawFirstPage } from '../../state/samples/pdf.js'
import { samplesText } from '../../text/terms.js'

/** The first page of a PDF, drawn by the page itself: nothing in the file runs. */
export function SamplePdf({ bytes, name }: { bytes: Uint8Array<ArrayBuffer>; name: string }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [pages, setPages] = useState<number>()
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    const stopping = new AbortController()
    const isStopped = () => stopping.signal.aborted
    drawFirstPage(bytes, canvas.current as HTMLCanvasElement, stopping.signal).then(
      (count) => isStopped() || setPages(count),
      () => isStopped() || setFailed(true),
    )
    return () => stopping.abort()
  }, [bytes])
  if (failed) return <p class="muted">{samplesText.unknown}</p>
  return (
    <>
      <canvas ref={canvas} class="sample-picture" role="img" aria-label={name} hidden={pages === undefined} />
      {pages !== undefined && <p class="muted small">{samplesText.firstPage(pages)}</p>}
    </>
  )
}
