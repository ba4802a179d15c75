import type { FileObject } from '@tidegate/client'
import { keep, kept } from './kept.js'
import { createStore } from './store.js'

/** A file of a draft: one that is uploaded, or one that lies somewhere. */
export type DraftFile = UploadFile | LocatedFile

export interface UploadFile {
  key: string
  kind: 'upload'
  name: string
  size: number
  type: string
  /** What tells whether a file that is chosen again is the same. */
  fingerprint: string
  /** The provider's id, once it is begun: a secret. */
  uploadId?: string
  sent: number
  status: 'waiting' | 'uploading' | 'paused' | 'needs-file' | 'done' | 'failed'
  error?: unknown
  object?: FileObject
  sha256?: string
}

export interface LocatedFile {
  key: string
  kind: 'location'
  /** Where it lies, without what may be a secret. */
  label: string
  object: FileObject
  status: 'checking' | 'good' | 'bad'
  /** Why it cannot be had: the provider's own word for it. */
  reason?: string
  error?: unknown
  size?: number
  type?: string
}

export interface Draft {
  id: string
  files: DraftFile[]
  name: string
  description: string
  author: string
  license: string
  tags: string[]
  price: { kind: 'free' | 'paid'; amount: string; token: string }
  /** Days for which an order holds; empty for ever. */
  days: string
  access: { kind: 'everybody' | 'list'; list: string }
  chainId: number | undefined
}

export const emptyDraft = (): Draft => ({
  id: `${Date.now().toString(36)}${Math.floor(Math.random() * 1e9).toString(36)}`,
  files: [],
  name: '',
  description: '',
  author: '',
  license: '',
  tags: [],
  price: { kind: 'free', amount: '', token: '' },
  days: '',
  access: { kind: 'everybody', list: '' },
  chainId: undefined,
})

const NAME = 'draft'

/** What is being published. It survives a reload. */
export const draft = createStore<Draft>(kept(NAME, readDraft, emptyDraft()))
draft.subscribe(() => keep(NAME, storable(draft.get())))

/** Without errors, and without descriptors that are more than an address: those hold keys. */
export function storable({ files, ...others }: Draft): Draft {
  return {
    ...others,
    files: files
      .filter((file) => file.kind === 'upload' || Object.keys(file.object).every((key) => PLAIN.has(key)))
      .map(({ error: _, ...file }) => file as DraftFile),
  }
}
const PLAIN = new Set(['type', 'url', 'method', 'hash', 'transactionId'])

/** Reads a draft that was kept. Files that were on their way need to be chosen again. Throws where it is none. */
export function readDraft(value: unknown): Draft {
  const { files, ...others } = value as Draft
  const empty = emptyDraft()
  if (typeof others.id !== 'string' || typeof others.name !== 'string' || !Array.isArray(files))
    throw new Error('no draft')
  return {
    ...empty,
    ...others,
    files: files.map((file) => {
      if (file.kind === 'location')
        return file.status === 'checking' ? { ...file, status: 'bad', reason: 'unchecked' } : file
      return file.status === 'done' ? file : { ...file, status: 'needs-file' }
    }),
  }
}

export function editDraft(changes: Partial<Draft>): void {
  draft.set((now) => ({ ...now, ...changes }))
}

export function addFiles(files: readonly DraftFile[]): void {
  draft.set((now) => ({ ...now, files: [...now.files, ...files] }))
}

export function editFile(key: string, changes: Partial<UploadFile> | Partial<LocatedFile>): void {
  draft.set((now) => ({
    ...now,
    files: now.files.map((file) => (file.key === key ? ({ ...file, ...changes } as DraftFile) : file)),
  }))
}

export function dropFile(key: string): void {
  draft.set((now) => ({ ...now, files: now.files.filter((file) => file.key !== key) }))
}

export function discardDraft(): void {
  draft.set(emptyDraft())
}
