import { useEffect } from 'preact/hooks'
import { Icon } from '../../icons/icon.js'
import { CONSOLE_LIMITS } from '../../limits.js'
import { Button } from '../../parts/button.js'
import { Page } from '../../parts/page.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/values.js'
import { useResource } from '../../state/resource.js'
import { type ProviderStatus, statusNow } from '../../state/status.js'
import { statusText } from '../../text/status.js'
import { text } from '../../text.js'
import { ChainPanel } from './chain.js'
import { LimitsPanel } from './limits.js'
import { ProviderPanel } from './provider.js'

/** The provider's chains, limits and version, reloaded periodically. */
export function Status() {
  const { value, error, reload } = useResource('status', statusNow, { keep: true })
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), CONSOLE_LIMITS.requests.status)
    return () => clearInterval(timer)
  }, [reload])
  const words = statusText
  if (error !== undefined)
    return (
      <Page title={words.title}>
        <Empty picture="broken" title={words.unreachable} hint={words.unreachableHint}>
          <Button icon="retry" onClick={reload}>
            {text.retry}
          </Button>
        </Empty>
      </Page>
    )
  return (
    <Page title={words.title}>
      {value ? (
        <div class="stack">
          <Headline value={value} />
          <div class="status-grid">
            {value.chains.map((chain) => (
              <ChainPanel key={chain.chainId} chain={chain} signer={value.providerAddresses[String(chain.chainId)]} />
            ))}
            <ProviderPanel version={value.version} />
            <LimitsPanel limits={value.limits} />
          </div>
        </div>
      ) : (
        <Skeleton lines={8} block />
      )}
    </Page>
  )
}

function Headline({ value: { ready, at } }: { value: ProviderStatus }) {
  const words = statusText
  return (
    <div class={ready ? 'headline good' : 'headline warn'}>
      <Icon name={ready ? 'check' : 'warning'} />
      <div>
        <h2>{ready ? words.ready : words.notReady}</h2>
        <p class="small">
          {words.checked} <Time time={at} />
        </p>
      </div>
    </div>
  )
}
