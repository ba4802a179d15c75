import type { ComponentChildren } from 'preact'
import { shortAddress } from '../format/address.js'
import { plainLine } from '../format/hostile.js'
import { FileIcon } from '../icons/file-icon.js'
import { text } from '../text.js'
import { Words } from './texts/words.js'
import { Identicon } from './wallet/identicon.js'

const TAGS = 3

interface CardProps {
  /** Known name and type of the first file. */
  file: { name?: string | undefined; type?: string | undefined }
  title: ComponentChildren
  owner: string | undefined
  author: string
  description: string
  tags: readonly string[]
  price: ComponentChildren
  /** Beside the price. */
  note?: ComponentChildren
}

/** The summary of an asset. */
export function Card({ file, title, owner, author, description, tags, price, note }: CardProps) {
  const named = author && author.toLowerCase() !== owner?.toLowerCase()
  return (
    <article class="card">
      <div class="card-head">
        <FileIcon name={file.name} type={file.type} />
        <div class="card-title">
          {title}
          <p class="small muted card-author">
            {owner && <Identicon address={owner} />}
            <Words text={named ? author : owner ? shortAddress(owner) : text.asset.author} most={40} />
          </p>
        </div>
      </div>
      <p class="card-about" dir="auto">
        <Words text={plainLine(description, 220)} most={220} />
      </p>
      {tags.length > 0 && (
        <ul class="tags" aria-label={text.catalogue.tags}>
          {tags.slice(0, TAGS).map((tag) => (
            <li key={tag} class="tag plain">
              <Words text={tag} most={24} />
            </li>
          ))}
        </ul>
      )}
      <footer class="card-foot">
        <strong>{price}</strong>
        {note && <span class="muted small">{note}</span>}
      </footer>
    </article>
  )
}
