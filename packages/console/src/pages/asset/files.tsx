import type { Asset, AssetService } from '@tidegate/client'
import { useMemo } from 'preact/hooks'
import type { Hex } from 'viem'
import { ReleaseText } from '../../parts/release-text.js'
import { rootOf, sizeOf } from '../../state/file-tree.js'
import { text } from '../../text.js'
import { FileBrowser } from './file-browser.js'

interface FilesProps {
  asset: Pick<Asset, 'did' | 'name'>
  service: AssetService
  /** The order of this account. Each of several files can then be downloaded here. */
  order: Hex | undefined
}

/** The files of a service, from the provider's current description. */
export function Files({ asset, service, order }: FilesProps) {
  const { files } = service
  const { asset: words } = text
  const size = useMemo(() => sizeOf(rootOf(files)), [files])
  return (
    <section class="panel" aria-labelledby="files">
      <div class="row between wrap">
        <h2 id="files">{words.files}</h2>
        {files.length > 1 && <p class="small muted">{words.filesAndSize(files.length, size)}</p>}
      </div>
      {service.release && <ReleaseText release={service.release} />}
      {files.length === 0 ? (
        <p class="muted">{words.noFiles}</p>
      ) : (
        // a single file is downloaded by the main button
        <FileBrowser asset={asset} service={service} order={files.length > 1 ? order : undefined} />
      )}
    </section>
  )
}
