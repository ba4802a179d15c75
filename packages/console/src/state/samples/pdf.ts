import { AnnotationMode, getDocument, PDFWorker } from 'pdfjs-dist/legacy/build/pdf.mjs'
import workerUrl from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url'
import { CONSOLE_LIMITS } from '../../limits.js'

const { time: TIME, pixels: PIXELS, side: SIDE, picture: PICTURE } = CONSOLE_LIMITS.samples.pdf

/** Draws the first page of a PDF. Returns the number of pages. Rejects if it cannot be read in time, or with the signal. */
export async function drawFirstPage(
  bytes: Uint8Array,
  canvas: HTMLCanvasElement,
  signal: AbortSignal,
): Promise<number> {
  // a worker of its own, whose memory is freed when it ends
  const port = new Worker(scriptUrl(workerUrl) as string, { type: 'module' })
  const task = getDocument({
    data: bytes.slice(),
    worker: PDFWorker.create({ port, verbosity: 0 }),
    ...{ maxImageSize: PICTURE, useSystemFonts: true, useWasm: false, verbosity: 0 },
  })
  let timer: ReturnType<typeof setTimeout> | undefined
  const ended = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The document takes too long.')), TIME)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  try {
    return await Promise.race([drawn(task, canvas), ended])
  } finally {
    clearTimeout(timer)
    task.destroy().catch(() => undefined)
    port.terminate()
  }
}

async function drawn(task: ReturnType<typeof getDocument>, canvas: HTMLCanvasElement): Promise<number> {
  const document = await task.promise
  const page = await document.getPage(1)
  const { width, height } = page.getViewport({ scale: 1 })
  const scale = Math.min(2, Math.sqrt(PIXELS / (width * height)), SIDE / width, SIDE / height)
  if (!(scale > 0)) throw new RangeError('The page has no size.')
  const viewport = page.getViewport({ scale })
  canvas.width = Math.ceil(viewport.width)
  canvas.height = Math.ceil(viewport.height)
  await page.render({ canvas, viewport, annotationMode: AnnotationMode.DISABLE }).promise
  return document.numPages
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): unknown }
}

/** Returns an own script's URL in the form that the policy of the page demands. */
function scriptUrl(own: string): unknown {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  return trustedTypes?.createPolicy('pdf', { createScriptURL: () => own }).createScriptURL(own) ?? own
}
