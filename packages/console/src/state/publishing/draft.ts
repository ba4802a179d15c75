import type { FileObject } from '@tidegate/client'
import { keep, kept, onKept } from '../kept.js'
import { createStore } from '../store.js'

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
  uploadId?: string | undefined
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
  /** Days for which an order is valid; empty for ever. */
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

/** What is being published. It survives a reload, and all tabs have the same. */
export const draft = createStore<Draft>(kept(NAME, readDraft, emptyDraft()))
let isFromOtherTab = false
draft.subscribe(() => isFromOtherTab || keep(NAME, storable(draft.get())))

/** Takes up what other tabs make of the draft. `isOwn` says which files this one uploads itself. */
export function shareDraft(isOwn: (key: string) => boolean): void {
  onKept(NAME, () => {
    const other = kept(NAME, parseDraft, undefined)
    if (!other) return
    // not written back: the other tab would hear of that
    isFromOtherTab = true
    draft.set((own) => mergedDraft(own, other, isOwn))
    isFromOtherTab = false
  })
}

/**
 * A draft as another tab has left it, with what this one alone knows: how far its own uploads are, why one failed, and
 * descriptors that are not stored.
 */
export function mergedDraft(own: Draft, other: Draft, isOwn: (key: string) => boolean): Draft {
  if (own.id !== other.id) return other
  const files = other.files.map((file) => {
    const mine = own.files.find(({ key }) => key === file.key)
    return mine && (isOwn(file.key) || (mine.error !== undefined && mine.status === file.status)) ? mine : file
  })
  const isKept = (file: DraftFile) =>
    (isOwn(file.key) && (file.status === 'uploading' || file.status === 'waiting')) || !isStorable(file)
  const missing = own.files.filter((file) => isKept(file) && other.files.every(({ key }) => key !== file.key))
  return { ...other, files: [...files, ...missing] }
}

/** Without errors, and without descriptors that are more than an address: those hold keys. */
export function storable({ files, ...others }: Draft): Draft {
  return {
    ...others,
    files: files.filter(isStorable).map(({ error: _, ...file }) => file as DraftFile),
  }
}

function isStorable(file: DraftFile): boolean {
  return file.kind === 'upload' || Object.keys(file.object).every((key) => PLAIN.has(key))
}
const PLAIN = new Set(['type', 'url', 'method', 'hash', 'transactionId'])

/** Reads a draft that was kept. Files that were on their way need to be chosen again. Throws if it is none. */
export function readDraft(value: unknown): Draft {
  const { files, ...others } = parseDraft(value)
  return {
    ...others,
    files: files.map((file) => {
      if (file.kind === 'location')
        return file.status === 'checking' ? { ...file, status: 'bad', reason: 'unchecked' } : file
      return file.status === 'done' ? file : { ...file, status: 'needs-file' }
    }),
  }
}

function parseDraft(value: unknown): Draft {
  const draft = value as Draft
  if (typeof draft.id !== 'string' || typeof draft.name !== 'string' || !Array.isArray(draft.files))
    throw new Error('no draft')
  return { ...emptyDraft(), ...draft }
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
