import { plainLine } from '../../format/hostile.js'
import { FileIcon } from '../../icons/file-icon.js'
import { mineText } from '../../text/mine.js'
import { publishText } from '../../text/publish.js'
import { Button } from '../button.js'
import { Words } from '../texts/words.js'

interface FileListProps {
  files: readonly { key: string; label: string }[]
  onRemove: (key: string) => void
}

/** Names of files, each with a button that removes it. */
export function FileList({ files, onRemove }: FileListProps) {
  if (files.length === 0) return null
  return (
    <ul class="files">
      {files.map(({ key, label }) => (
        <li key={key} class="file">
          <FileIcon name={label} />
          <p class="grow">
            <Words text={label} most={120} />
          </p>
          <Button
            size="small"
            kind="quiet"
            icon="trash"
            label={publishText.remove(plainLine(label, 60))}
            onClick={() => onRemove(key)}
          >
            {mineText.removeFile}
          </Button>
        </li>
      ))}
    </ul>
  )
}
