import type { Quote } from '@tidegate/client'
import { useState } from 'preact/hooks'
import { Button, ButtonLink } from '../../parts/button.js'
import { CopyButton } from '../../parts/copy.js'
import { Dialog } from '../../parts/dialog.js'
import { QrCode } from '../../parts/qr-code.js'
import { Notice, Problem } from '../../parts/states.js'
import { presentCredentials } from '../../state/buying/credentials.js'
import { announce } from '../../state/page/announce.js'
import { useResource } from '../../state/resource.js'
import { credentialsText as words } from '../../text/credentials.js'

/** Starts the presentation of credentials, before anything is bought or downloaded. */
export function Credentials({ quote }: { quote: Quote }) {
  const [isPresenting, setPresenting] = useState(false)
  return (
    <>
      <Notice>
        <p>
          <strong>{words.asked}</strong>
        </p>
        <p class="small">{quote.order ? words.beforeDownload : words.beforeBuying}</p>
      </Notice>
      <Button kind="primary" size="large" onClick={() => setPresenting(true)}>
        {words.present}
      </Button>
      {isPresenting && <Presenting quote={quote} onClose={() => setPresenting(false)} />}
    </>
  )
}

/** Shows the request for the wallet until it is answered. To close the dialog ends the wait. */
function Presenting({ quote: { did, service }, onClose }: { quote: Quote; onClose: () => void }) {
  const [request, setRequest] = useState<string>()
  const { error, loading, reload } = useResource(`${did} ${service}`, async (signal) => {
    setRequest(undefined)
    await presentCredentials({ did, service, signal, onRequest: setRequest })
    announce(words.accepted)
  })
  const isRefused = error !== undefined && !loading
  return (
    <Dialog title={words.present} onClose={onClose}>
      {isRefused ? (
        <Problem error={error} onRetry={reload} />
      ) : (
        <>
          {request !== undefined && <Request link={request} />}
          <p class="row center" role="status">
            <span class="spinner" aria-hidden="true" /> {request === undefined ? words.starting : words.waiting}
          </p>
        </>
      )}
    </Dialog>
  )
}

/** The request as a QR code for a phone, and as a link for a wallet on this device: first for those without a mouse. */
function Request({ link }: { link: string }) {
  const onPhone = matchMedia('(pointer: coarse)').matches
  const code = (
    <>
      <p>{words.scan}</p>
      <QrCode value={link} label={words.code} otherwise={words.noCode} />
    </>
  )
  return (
    <div class="request">
      {!onPhone && code}
      <div class="row wrap center">
        <ButtonLink kind={onPhone ? 'primary' : 'secondary'} icon="wallet" href={link}>
          {words.open}
        </ButtonLink>
        <CopyButton value={link} label={words.copy}>
          {words.copy}
        </CopyButton>
      </div>
      {onPhone && code}
    </div>
  )
}
