import type { Asset, AssetFile, AssetService } from '@tidegate/client'
import { useState } from 'preact/hooks'
import type { Hex } from 'viem'
import { plainLine } from '../../format/hostile.js'
import { pathOf } from '../../format/paths.js'
import { FileIcon } from '../../icons/file-icon.js'
import { Button } from '../../parts/button.js'
import { LinkTools } from '../../parts/link-tools.js'
import { Problem } from '../../parts/states.js'
import { Words } from '../../parts/texts/words.js'
import { Bytes } from '../../parts/values.js'
import { type Linked, linkTo } from '../../state/buying/links.js'
import { canChooseFile, chooseFile, follow, IN_MEMORY } from '../../state/buying/sinks.js'
import { startTransfer, transfers } from '../../state/buying/transfers.js'
import { useStore } from '../../state/store.js'
import { text } from '../../text.js'
import { MoreFiles, SHOWN_FILES } from './files.js'

interface DownloadProps {
  asset: Pick<Asset, 'did' | 'name'>
  service: AssetService
  order: Hex
}

/** The files of an order. The page downloads and checks small ones; large ones go directly to the disk. */
export function Download({ asset, service, order }: DownloadProps) {
  const files: AssetFile[] = service.files.length > 0 ? service.files : [{ index: 0, available: true }]
  const alone = files.length === 1
  return (
    <>
      {!alone && <All wanted={{ did: asset.did, service: service.id, file: undefined, order }} />}
      <ul class="downloads">
        {files.slice(0, SHOWN_FILES).map((file) => (
          <OneFile key={file.index} asset={asset} service={service.id} file={file} order={order} files={files} />
        ))}
      </ul>
      <MoreFiles count={files.length} />
    </>
  )
}

/** All files as an archive, which the browser downloads itself by a link. */
function All({ wanted }: { wanted: Linked }) {
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const { asset: words } = text
  const start = async () => {
    setBusy(true)
    setError(undefined)
    await linkTo(wanted).then(({ url }) => follow(url), setError)
    setBusy(false)
  }
  return (
    <>
      <Button kind="primary" size="large" icon="download" busy={busy} onClick={start}>
        {words.archive}
      </Button>
      <p class="muted small">{words.archiveHint}</p>
      {error !== undefined && <Problem error={error} />}
    </>
  )
}

interface OneFileProps {
  asset: Pick<Asset, 'did' | 'name'>
  service: string
  file: AssetFile
  order: Hex
  /** All files of the service. */
  files: readonly AssetFile[]
}

function OneFile({ asset: { did, name }, service, file, order, files }: OneFileProps) {
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const { asset: words } = text
  const { index, size } = file
  const alone = files.length === 1
  const own = useStore(transfers).find((one) => one.did === did && one.service === service && one.file === index)
  const running = own && own.status !== 'done' && own.status !== 'failed'
  const shown = plainLine(file.name ?? (alone ? name : words.fileNumber(index)), 60)
  const large = size === undefined || size > IN_MEMORY
  const wanted = {
    did,
    service,
    file: index,
    order,
    // the last part of a path
    name: file.name?.replace(/^.*\//s, '') ?? plainLine(name, 60),
    ...(size === undefined ? {} : { size }),
  }
  const start = async () => {
    setError(undefined)
    setBusy(true)
    try {
      if (!large) startTransfer(wanted, { to: 'memory' })
      else if (canChooseFile()) {
        const handle = await chooseFile(wanted.name)
        if (handle) startTransfer(wanted, { to: 'disk', handle })
      } else follow((await linkTo(wanted)).url)
    } catch (refusal) {
      setError(refusal)
    }
    setBusy(false)
  }
  return (
    <li class="download">
      {!alone && (
        <p class="row small">
          <FileIcon name={file.name} type={file.contentType} />
          <Words text={file.name ?? words.fileNumber(index)} most={80} />
          {size !== undefined && (
            <span class="muted">
              <Bytes bytes={size} />
            </span>
          )}
        </p>
      )}
      <Button
        kind={alone ? 'primary' : 'secondary'}
        size={alone ? 'large' : 'small'}
        icon="download"
        busy={busy || running === true}
        label={alone ? words.download : words.downloadFile(shown)}
        onClick={start}
      >
        {words.download}
      </Button>
      {size !== undefined && large && <p class="muted small">{words.large(size)}</p>}
      {error !== undefined && <Problem error={error} />}
      <LinkTools wanted={wanted} path={() => pathOf(files, index)} />
    </li>
  )
}
