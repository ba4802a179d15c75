import { config, type Operator } from '../state/config.js'
import { text } from '../text.js'

/** Who runs the provider, and the pages that the operator names. Empty without an operator. */
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

/** An address with @ is for e-mail; the provider has checked that everything else is an http(s) URL. */
const hrefOf = (contact: NonNullable<Operator['contact']>) =>
  /^https?:/i.test(contact) ? contact : `mailto:${contact}`
