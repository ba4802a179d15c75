import type { Operator } from '@tidegate/protocol/operator'
import { config } from '../state/config.js'
import { text } from '../text.js'

/** The operator's name and pages. Empty without an operator. */
export function Footer() {
  const { operator } = config()
  if (!operator) return null
  const { name, url, contact, ...pages } = operator
  const links = [
    ...(contact ? [{ href: hrefOf(contact), label: text.operator.contact }] : []),
    ...(['imprint', 'privacy', 'terms'] as const).flatMap((page) => {
      const href = pages[page]
      return href ? [{ href, label: text.operator[page] }] : []
    }),
  ]
  return (
    <footer class="foot">
      {name && <p>{url ? <a href={url}>{name}</a> : name}</p>}
      {links.length > 0 && (
        <ul>
          {links.map(({ href, label }) => (
            <li key={label}>
              <a href={href}>{label}</a>
            </li>
          ))}
        </ul>
      )}
    </footer>
  )
}

/** Returns the link of a contact. The provider has checked that it is an e-mail address or an http(s) URL. */
const hrefOf = (contact: NonNullable<Operator['contact']>) =>
  /^https?:/i.test(contact) ? contact : `mailto:${contact}`
