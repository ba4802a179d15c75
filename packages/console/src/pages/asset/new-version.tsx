import type { AssetService } from '@tidegate/client'
import { ReleaseText } from '../../parts/release-text.js'
import { Notice } from '../../parts/states.js'
import { isNewer } from '../../state/buying/seen-versions.js'
import { text } from '../../text.js'

interface NewVersionProps {
  did: string
  service: AssetService
  /** Start of the order, if known: without a download here, a version after it is new. */
  since?: Date
}

/** Tells a buyer that the files have changed since his order or download. */
export function NewVersion({ did, service, since }: NewVersionProps) {
  const { release } = service
  const isAfterOrder = since !== undefined && release?.date !== undefined && release.number > 1 && release.date > since
  const isKnown = isNewer(did, service)
  if (!(isKnown ?? isAfterOrder)) return null
  return (
    <Notice>
      <p>
        <strong>{isKnown ? text.asset.newSinceDownload : text.asset.newSinceOrder}</strong>
      </p>
      {release && <ReleaseText release={release} />}
    </Notice>
  )
}
