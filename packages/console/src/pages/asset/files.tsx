import type { AssetService } from '@tidegate/client'
import { FileIcon } from '../../icons/file-icon.js'
import { Words } from '../../parts/texts/words.js'
import { Bytes } from '../../parts/values.js'
import { text } from '../../text.js'

/** The files of a service, from the provider's current description. */
export function Files({ service: { files } }: { service: AssetService }) {
  const { asset: words } = text
  return (
    <section class="panel" aria-labelledby="files">
      <h2 id="files">{words.files}</h2>
      {files.length === 0 && <p class="muted">{words.noFiles}</p>}
      <ul class="files">
        {files.slice(0, SHOWN_FILES).map(({ index, name, contentType, size, available }) => (
          <li key={index} class="file">
            <FileIcon name={name} type={contentType} />
            <div class="grow">
              <p>
                <Words text={name ?? words.fileNumber(index)} most={120} />
              </p>
              <p class="small muted">
                {contentType && <Words text={`${contentType} · `} most={60} />}
                {size === undefined ? words.sizeUnknown : <Bytes bytes={size} />}
              </p>
            </div>
            {!available && <span class="badge warn">{words.unavailableFile}</span>}
          </li>
        ))}
      </ul>
      <MoreFiles count={files.length} />
    </section>
  )
}

/** Most files of a service that the page draws. */
export const SHOWN_FILES = 200

/** Tells how many files of a long list are not drawn. */
export function MoreFiles({ count }: { count: number }) {
  return count > SHOWN_FILES ? <p class="muted small">{text.asset.moreFiles(count - SHOWN_FILES)}</p> : null
}
