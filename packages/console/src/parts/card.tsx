import type { Seller } from '@tidegate/client'
import type { ComponentChildren } from 'preact'
import { plainLine } from '../format/hostile.js'
import { FileIcon } from '../icons/file-icon.js'
import { text } from '../text.js'
import { SellerText } from './seller.js'
import { Words } from './texts/words.js'

const TAGS = 3

interface CardProps {
  /** Known name and type of the first file. */
  file: { name?: string | undefined; type?: string | undefined }
  title: ComponentChildren
  seller: Seller | undefined
  author: string
  description: string
  /** Short facts below the description. */
  facts?: readonly string[]
  tags: readonly string[]
  price: ComponentChildren
  /** Beside the price. */
  note?: ComponentChildren
}

/** The summary of an asset. */
export function Card({ file, title, seller, author, description, facts = [], tags, price, note }: CardProps) {
  return (
    <article class="card">
      <div class="card-head">
        <FileIcon name={file.name} type={file.type} />
        <div class="card-title">
          {title}
          <p class="small muted card-author">
            {seller ? (
              <SellerText seller={seller} author={author} />
            ) : (
              <Words text={author || text.asset.author} most={40} />
            )}
          </p>
        </div>
      </div>
      <p class="card-about" dir="auto">
        <Words text={plainLine(description, 220)} most={220} />
      </p>
      {facts.length > 0 && (
        <p class="small muted card-facts">
          <Words text={facts.join(' · ')} most={80} />
        </p>
      )}
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
