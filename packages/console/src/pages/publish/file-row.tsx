import { shownBytes } from '../../format/bytes.js'
import { plainLine } from '../../format/hostile.js'
import { FileIcon } from '../../icons/file-icon.js'
import { Icon, type IconName } from '../../icons/icon.js'
import { Ring } from '../../parts/ring.js'
import { Problem } from '../../parts/states.js'
import { Words } from '../../parts/texts/words.js'
import { Bytes } from '../../parts/values.js'
import { type DraftFile, dropFile, type LocatedFile, type UploadFile } from '../../state/publishing/draft.js'
import { checkLocation } from '../../state/publishing/locations.js'
import { pauseUpload, removeUpload, resumeUpload } from '../../state/publishing/uploads.js'
import { publishText } from '../../text/publish.js'
import { text } from '../../text.js'

/** A file of the draft with its progress. */
export function FileRow({ file }: { file: DraftFile }) {
  return file.kind === 'upload' ? <Uploaded file={file} /> : <Located file={file} />
}

function Uploaded({ file }: { file: UploadFile }) {
  const { key, name, type, size, sent, status, error, sha256 } = file
  const words = publishText
  const shown = plainLine(name, 60)
  const going = status === 'uploading' || status === 'waiting'
  return (
    <li class={`file is-${status}`} data-status={status}>
      {status === 'done' || (status === 'needs-file' && sent === 0) ? (
        <FileIcon name={name} type={type} />
      ) : (
        <Ring share={size === 0 ? 0 : sent / size} label={`${words.uploadStates[status]}: ${shown}`} />
      )}
      <div class="grow">
        <p>
          <Words text={name} most={120} />
        </p>
        <p class="small muted">
          {words.uploadStates[status]} ·{' '}
          {going || status === 'paused' ? (
            text.transfers.of(shownBytes(sent), shownBytes(size))
          ) : (
            <Bytes bytes={size} />
          )}
        </p>
        {sha256 && (
          <p class="mono tiny muted one-line" title={sha256}>
            SHA-256 {sha256}
          </p>
        )}
        {status === 'needs-file' && <p class="small problem">{words.needsFileHint(shown, shownBytes(sent))}</p>}
        {error !== undefined && <Problem error={error} />}
      </div>
      {(going || status === 'paused' || status === 'failed') && (
        <Act
          icon={going ? 'pause' : 'play'}
          label={going ? words.pause(shown) : words.resume(shown)}
          onClick={() => (going ? pauseUpload(key) : resumeUpload(key))}
        />
      )}
      <Act icon="trash" label={words.remove(shown)} onClick={() => removeUpload(key)} />
    </li>
  )
}

function Located({ file }: { file: LocatedFile }) {
  const { key, label, status, reason = '', size, type } = file
  const words = publishText
  return (
    <li class={`file is-${status}`} data-status={status}>
      {status === 'checking' ? (
        <Ring share={undefined} label={words.checking} />
      ) : (
        <FileIcon name={label} type={type} />
      )}
      <div class="grow">
        <p class="break">
          <Words text={label} most={160} />
        </p>
        <p class={status === 'bad' ? 'small problem' : 'small muted'}>
          {status === 'checking' && words.checking}
          {status === 'good' && words.good}
          {status === 'bad' && `${words.bad}: ${words.reasons[reason] ?? words.reasonOther(reason)}.`}
          {status === 'good' && size !== undefined && ` · ${shownBytes(size)}`}
          {status === 'good' && type && ` · ${plainLine(type, 60)}`}
        </p>
      </div>
      {status === 'bad' && <Act icon="retry" label={words.checkAgain} onClick={() => void checkLocation(file)} />}
      <Act icon="trash" label={words.remove(label)} onClick={() => dropFile(key)} />
    </li>
  )
}

function Act({ icon, label, onClick }: { icon: IconName; label: string; onClick: () => void }) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  )
}
