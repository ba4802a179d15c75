import { missing as words } from '../../text/missing-wallet.js'
import { PHONE_WALLETS } from '../../wallet/phone-wallets.js'
import { ButtonLink } from '../button.js'
import { CopyButton } from '../copy.js'
import { QrCode } from '../qr-code.js'
import { Notice } from '../states.js'

/** The ways to a wallet from a browser that has none: on a phone the wallets' own browsers, otherwise the phone. */
export function NoWallet() {
  const onPhone = matchMedia('(pointer: coarse)').matches
  const isSecure = location.protocol === 'https:'
  return (
    <div class="stack">
      <p>{words.none}</p>
      {!isSecure && <Notice kind="warn">{words.insecure}</Notice>}
      {isSecure && (onPhone ? <InWallets /> : <OnPhone />)}
      <section>
        <h3>{words.install}</h3>
        <p class="muted">{onPhone ? words.installOnPhone : words.installHint}</p>
      </section>
      <p class="muted small">{words.without}</p>
    </div>
  )
}

function InWallets() {
  return (
    <section class="stack">
      <p class="muted">{words.openHint}</p>
      {PHONE_WALLETS.map(({ name, link }) => (
        <ButtonLink key={name} icon="wallet" href={link(location.href)}>
          {words.open(name)}
        </ButtonLink>
      ))}
    </section>
  )
}

function OnPhone() {
  return (
    <section class="empty">
      <h3>{words.scan}</h3>
      <QrCode value={location.href} label={words.code} otherwise={words.noCode} />
      <p class="muted">{words.scanHint}</p>
      <CopyButton value={location.href} label={words.copy}>
        {words.copy}
      </CopyButton>
    </section>
  )
}
