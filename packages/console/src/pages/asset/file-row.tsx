import type { Asset, AssetService } from '@tidegate/client'
import type { Hex } from 'viem'
import { FileIcon } from '../../icons/file-icon.js'
import { Words } from '../../parts/texts/words.js'
import { Bytes } from '../../parts/values.js'
import type { Row } from '../../state/file-tree.js'
import { text } from '../../text.js'
import { OneFile } from './download.js'

interface RowProps {
  row: Extract<Row, { kind: 'file' }>
  asset: Pick<Asset, 'did' | 'name'>
  service: AssetService
  order: Hex | undefined
}

/** A file of a list, with its download if there is an order. */
export function FileRow({ row: { file, name }, asset, service, order }: RowProps) {
  const { asset: words } = text
  const { contentType, size, available, index } = file
  return (
    <div class="file-entry">
      <div class="file">
        <FileIcon name={file.name} type={contentType} />
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
      </div>
      {order && <OneFile asset={asset} service={service} file={file} order={order} />}
    </div>
  )
}
