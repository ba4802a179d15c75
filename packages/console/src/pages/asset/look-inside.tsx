import type { AssetLink } from '@tidegate/client'
import { useEffect, useState } from 'preact/hooks'
import { plainLine } from '../../format/hostile.js'
import { lazily } from '../../parts/lazily.js'
import { Problem, Skeleton } from '../../parts/states.js'
import { ExternalLink } from '../../parts/texts/external-link.js'
import { Sheet } from '../../parts/texts/sheet.js'
import { Words } from '../../parts/texts/words.js'
import { useResource } from '../../state/resource.js'
import { readSample, type Sample } from '../../state/samples/sample.js'
import { samplesText } from '../../text/terms.js'
import { SampleColumns } from './sample-columns.js'
import { SampleTable } from './sample-table.js'

const SamplePdf = lazily(() => import('./sample-pdf.js').then(({ SamplePdf }) => SamplePdf), { isPart: true })

/** Samples of an asset, and its links to other servers, of which there is one at least. The first sample is open, the others are loaded when they are opened. */
export function LookInside({ links }: { links: readonly AssetLink[] }) {
  const words = samplesText
  const here = links.filter(({ isHere }) => isHere)
  const others = links.filter(({ isHere }) => !isHere)
  return (
    <section class="panel samples" aria-labelledby="inside">
      <h2 id="inside">{here.length > 0 ? words.title : words.links}</h2>
      <div class="stack">
        {here.map((link, at) => (
          <OneSample key={`${at} ${link.url}`} link={link} first={at === 0} />
        ))}
        {here.length > 0 && others.length > 0 && <h3>{words.others}</h3>}
        {others.length > 0 && (
          <ul class="stack tight">
            {others.map((link, at) => (
              <li key={`${at} ${link.url}`}>
                <ExternalLink {...link} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  )
}

function OneSample({ link, first }: { link: AssetLink; first: boolean }) {
  const [open, setOpen] = useState(first)
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Words text={link.name} most={120} />
      </summary>
      {open && <Loaded link={link} />}
    </details>
  )
}

function Loaded({ link: { url, host, name } }: { link: AssetLink }) {
  const { value, error, reload } = useResource(url, (signal) => readSample(url, signal))
  if (error !== undefined) return <Problem error={error} onRetry={reload} />
  if (!value) return <Skeleton lines={4} />
  return (
    <div class="stack tight">
      <Shown sample={value} name={plainLine(name, 80)} />
      <p class="small">
        <ExternalLink url={url} host={host} name={samplesText.open} />
      </p>
    </div>
  )
}

function Shown({ sample, name }: { sample: Sample; name: string }) {
  const words = samplesText
  switch (sample.kind) {
    case 'table':
      return <SampleTable table={sample} name={name} />
    case 'pdf':
      return <SamplePdf bytes={sample.bytes} name={name} />
    case 'columns':
      return <SampleColumns sample={sample} name={name} />
    case 'picture':
      if (sample.isTooLarge) return <p class="muted">{words.tooLarge}</p>
      return <Picture bytes={sample.bytes} type={sample.type} name={name} />
    case 'text':
      return (
        <>
          <Sheet text={sample.text} label={name} />
          {sample.isCut && <p class="muted small">{words.cut}</p>}
        </>
      )
    default:
      return <p class="muted">{words.unknown}</p>
  }
}

function Picture({ bytes, type, name }: { bytes: Uint8Array<ArrayBuffer>; type: string; name: string }) {
  const [url, setUrl] = useState('')
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes])
  return url ? <img class="sample-picture" src={url} alt={name} decoding="async" /> : null
}
