import { CopyButton } from '../../parts/copy.js'
import { config, providerUrl } from '../../state/config.js'
import { statusText } from '../../text/status.js'
import { text } from '../../text.js'

/** Version and addresses of the provider. */
export function ProviderPanel({ version }: { version: string }) {
  const words = statusText
  const { hosting, provider = providerUrl() } = config()
  const line = `curl ${provider}/`
  return (
    <section class="panel" aria-labelledby="provider">
      <h2 id="provider">{words.provider}</h2>
      <dl class="facts wide">
        <div>
          <dt>{words.version}</dt>
          <dd>{version}</dd>
        </div>
        <div>
          <dt>{words.address}</dt>
          <dd class="address">
            <span class="mono small break">{provider}</span>
            <CopyButton value={provider} label={`${text.copy} ${words.address}`} />
          </dd>
        </div>
        <div>
          <dt>{words.hosting}</dt>
          <dd>{hosting.enabled ? words.hostingOn(hosting.maxFile) : words.hostingOff}</dd>
        </div>
        <div>
          <dt>{words.api}</dt>
          <dd class="address">
            <code class="mono small break">{line}</code>
            <CopyButton value={line} label={`${text.copy} ${words.api}`} />
          </dd>
        </div>
      </dl>
    </section>
  )
}
