import type { Asset, AssetService, Buyers } from '@tidegate/client'
import { Notice } from '../../parts/states.js'
import type { NextStep } from '../../state/publishing/next-step.js'
import { credentialsText } from '../../text/credentials.js'
import { text } from '../../text.js'

interface Rules {
  asset: Pick<Asset, 'buyers'>
  service: Pick<AssetService, 'buyers'>
}

const rulesOf = ({ asset, service }: Rules): Buyers[] =>
  [asset.buyers, service.buyers].filter((buyers) => buyers !== undefined)

/** Whether a rule names accounts or lists, or is of an unknown kind. */
const isInvitation = ({ presents, accounts, lists }: Buyers) => !presents || accounts.length + lists.length > 0

/** Whether only invited accounts may buy. */
export const isInvitedOnly = (rules: Rules) => rulesOf(rules).some(isInvitation)

/** Whether consumers present credentials. */
export const asksCredentials = (rules: Rules) => rulesOf(rules).some(({ presents }) => presents)

/** Names the accounts that may buy if not all may, and says if this account may. Before a wallet is connected, also that credentials are asked for. */
export function Invited({ asset, service, next }: Rules & { next: NextStep }) {
  const { asset: words } = text
  const isDenied = next.step === 'denied'
  const rules = rulesOf({ asset, service }).filter(isInvitation)
  return (
    <>
      {next.step === 'connect' && asksCredentials({ asset, service }) && (
        <Notice>
          <p>
            <strong>{credentialsText.asked}</strong>
          </p>
          <p class="small">{credentialsText.beforeBuying}</p>
        </Notice>
      )}
      {(rules.length > 0 || isDenied) && (
        <Notice kind={isDenied ? 'warn' : 'plain'}>
          <p>
            <strong>{words.invited}</strong>
          </p>
          {rules.map(({ accounts, lists }, at) => (
            <p class="small" key={at}>
              {words.mayBuy(words.invitedBy(accounts.length, lists.length))}
            </p>
          ))}
          {isDenied && <p class="small">{words.notInvited}</p>}
        </Notice>
      )}
    </>
  )
}
