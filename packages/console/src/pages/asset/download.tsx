import type { Asset, AssetFile, AssetService } from '@tidegate/client'
import { useState } from 'preact/hooks'
import type { Hex } from 'viem'
import { plainLine } from '../../format/hostile.js'
import { pathOf } from '../../format/paths.js'
import { Button } from '../../parts/button.js'
import { LinkTools } from '../../parts/link-tools.js'
import { Problem } from '../../parts/states.js'
import { linkTo } from '../../state/buying/links.js'
import { remember } from '../../state/buying/seen-versions.js'
import { canChooseFile, chooseFile, follow, IN_MEMORY } from '../../state/buying/sinks.js'
import { startTransfer, transfers } from '../../state/buying/transfers.js'
import { useStore } from '../../state/store.js'
import { text } from '../../text.js'

interface DownloadProps {
  asset: Pick<Asset, 'did' | 'name'>
  service: AssetService
  order: Hex
}

/** The main download of an order: its only file, or an archive of all. */
export function Download({ asset, service, order }: DownloadProps) {
  const [file = { index: 0, available: true }, second] = service.files
  if (second) return <All asset={asset} service={service} order={order} />
  return <OneFile asset={asset} service={service} file={file} order={order} />
}

/** All files as an archive, which the browser downloads itself by a link. */
function All({ asset: { did }, service, order }: DownloadProps) {
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const { asset: words } = text
  const start = async () => {
    setBusy(true)
    setError(undefined)
    try {
      follow((await linkTo({ did, service: service.id, file: undefined, order })).url)
      remember(did, service)
    } catch (refusal) {
      setError(refusal)
    }
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

interface OneFileProps extends DownloadProps {
  file: AssetFile
}

/** Downloads a file. The page downloads and checks a small one; a large one goes directly to the disk. */
export function OneFile({ asset: { did, name }, service: of, file, order }: OneFileProps) {
  const { id: service, files } = of
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const { asset: words } = text
  const { index, size } = file
  const alone = files.length < 2
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
  /** Begins the download. Returns whether a place for it was chosen. */
  const begun = async () => {
    if (large && !canChooseFile()) follow((await linkTo(wanted)).url)
    else if (large) {
      const handle = await chooseFile(wanted.name)
      if (!handle) return false
      startTransfer(wanted, { to: 'disk', handle })
    } else startTransfer(wanted, { to: 'memory' })
    return true
  }
  const start = async () => {
    setError(undefined)
    setBusy(true)
    try {
      if (await begun()) remember(did, of)
    } catch (refusal) {
      setError(refusal)
    }
    setBusy(false)
  }
  return (
    <div class={alone ? 'download' : 'download of-several'}>
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
    </div>
  )
}
