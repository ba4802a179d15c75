import { useState } from 'preact/hooks'
import { chainOf, config } from '../../state/config.js'
import { text } from '../../text.js'
import type { LocalWallet } from '../../wallet/local.js'
import { switchChain } from '../../wallet/networks.js'
import { disconnect, type WalletState } from '../../wallet/wallet.js'
import { Button } from '../button.js'
import { Dialog } from '../dialog.js'
import { Notice, Problem } from '../states.js'
import { Words } from '../texts/words.js'
import { AddressText } from './address.js'
import { HeldAmounts } from './balances.js'
import { Identicon } from './identicon.js'

interface MenuProps {
  state: Extract<WalletState, { status: 'connected' }>
  onClose: () => void
}

/** The connected wallet: its account and network, and the accounts of the built-in wallet. */
export function WalletMenu({ state, onClose }: MenuProps) {
  const { wallet, address, chainId } = state
  const [busy, setBusy] = useState<number>()
  const [error, setError] = useState<unknown>()
  const others = config().chains.filter((chain) => chain.chainId !== chainId)
  const change = async (to: number) => {
    setBusy(to)
    setError(undefined)
    await switchChain(wallet.provider, to).catch(setError)
    setBusy(undefined)
  }
  return (
    <Dialog
      title={text.wallet.connected}
      onClose={onClose}
      actions={
        <Button
          onClick={() => {
            disconnect()
            onClose()
          }}
        >
          {text.wallet.disconnect}
        </Button>
      }
    >
      <div class="stack">
        <div class="row between">
          <AddressText address={address} />
          <span class="muted small">
            <Words text={wallet.name || text.wallet.injected} most={40} />
          </span>
        </div>
        <div class="row between">
          <span class="muted">{text.wallet.network}</span>
          <span>{chainOf(chainId)?.name ?? text.wallet.chain(chainId)}</span>
        </div>
        {error !== undefined && <Problem error={error} />}
        {!wallet.builtIn &&
          others.map((chain) => (
            <Button key={chain.chainId} icon="swap" busy={busy === chain.chainId} onClick={() => change(chain.chainId)}>
              {text.wallet.switchTo(chain.name)}
            </Button>
          ))}
        {wallet.builtIn && <Accounts wallet={wallet as LocalWallet} address={address} />}
        {/* last: it comes late, and must not move what is clicked */}
        <HeldAmounts address={address} chainId={chainId} />
      </div>
    </Dialog>
  )
}

function Accounts({ wallet, address }: { wallet: LocalWallet; address: string }) {
  return (
    <>
      <Notice kind="warn">{text.local.banner}</Notice>
      <fieldset class="accounts">
        <legend>{text.local.account}</legend>
        {wallet.accounts.map((account, at) => (
          <label key={account} class="account-option">
            <input type="radio" name="account" checked={account === address} onChange={() => wallet.choose(account)} />
            <Identicon address={account} />
            <span>{text.local.numbered(at)}</span>
            <span class="mono small muted">{`${account.slice(0, 8)}…${account.slice(-6)}`}</span>
          </label>
        ))}
      </fieldset>
    </>
  )
}
