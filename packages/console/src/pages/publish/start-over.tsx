import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.js'
import { Dialog } from '../../parts/dialog.js'
import { discardDraft, draft } from '../../state/publishing/draft.js'
import { removeUpload } from '../../state/publishing/uploads.js'
import { useStore } from '../../state/store.js'
import { publishText } from '../../text/publish.js'
import { text } from '../../text.js'

/** Discards the draft and its uploads, after a question. */
export function StartOver() {
  const { files, name } = useStore(draft)
  const [asking, setAsking] = useState(false)
  if (files.length === 0 && !name) return null
  return (
    <>
      <Button kind="quiet" size="small" icon="trash" onClick={() => setAsking(true)}>
        {publishText.startOver}
      </Button>
      {asking && (
        <Dialog
          title={publishText.startOver}
          onClose={() => setAsking(false)}
          actions={
            <>
              <Button onClick={() => setAsking(false)}>{text.cancel}</Button>
              <Button
                kind="danger"
                onClick={() => {
                  for (const { key } of draft.get().files) removeUpload(key)
                  discardDraft()
                  setAsking(false)
                }}
              >
                {publishText.startOver}
              </Button>
            </>
          }
        >
          <p>{publishText.startOverQuestion}</p>
        </Dialog>
      )}
    </>
  )
}
