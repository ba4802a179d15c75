import { Visible, Words } from './words.js'

/** A stranger's link, with its host. Its target learns neither the page nor its opener. */
export function ExternalLink({ url, host, name }: { url: string; host: string; name: string }) {
  return (
    <span class="break">
      <a href={url} target="_blank" rel="nofollow noopener noreferrer">
        <Words text={name} most={120} />
      </a>{' '}
      <span class="muted small">
        (<Visible text={host} />)
      </span>
    </span>
  )
}

/** A SHA-256 as hex. */
export function Sha256({ sha256 }: { sha256: string }) {
  return <p class="mono tiny muted break">SHA-256 {sha256}</p>
}
