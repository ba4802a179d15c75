import type { FileObject } from '@tidegate/client'
import { CONSOLE_LIMITS } from '../../limits.js'
import { keep, kept, onKept } from '../kept.js'
import { createStore } from '../store.js'
import { NO_TERMS, type TermsDraft } from './terms-draft.js'

/** A file of a draft: an upload, or a file with a location. */
export type DraftFile = UploadFile | LocatedFile

export interface UploadFile {
  key: string
  kind: 'upload'
  /** The public name: a relative path if it comes from a folder. */
  name: string
  size: number
  type: string
  /** Identifies the file when it is chosen again. */
  fingerprint: string
  /** The provider's id of the upload: a secret. */
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
  /** The location without its secrets. */
  label: string
  object: FileObject
  status: 'checking' | 'good' | 'bad'
  /** The provider's reason why the file is unavailable. */
  reason?: string
  error?: unknown
  size?: number
  type?: string
}

export interface Draft {
  id: string
  files: DraftFile[]
  /** Whether files are published without their names. */
  anonymous: boolean
  name: string
  description: string
  author: string
  license: string
  tags: string[]
  price: { kind: 'free' | 'paid'; amount: string; token: string }
  /** Validity of an order in days; empty for unlimited. */
  days: string
  access: { kind: 'everybody' | 'list' | 'members'; list: string }
  terms: TermsDraft
  /** Public files that show a part of the asset. */
  samples: { url: string; name: string }[]
  /** Hidden from searches. */
  unlisted: boolean
  chainId: number | undefined
}

export const emptyDraft = (): Draft => ({
  id: `${Date.now().toString(36)}${Math.floor(Math.random() * CONSOLE_LIMITS.fields.draftIds).toString(36)}`,
  files: [],
  anonymous: false,
  name: '',
  description: '',
  author: '',
  license: '',
  tags: [],
  price: { kind: 'free', amount: '', token: '' },
  days: '',
  access: { kind: 'everybody', list: '' },
  terms: NO_TERMS,
  samples: [],
  unlisted: false,
  chainId: undefined,
})

const NAME = 'draft'

/** The current draft. It survives a reload, and all tabs share it. */
export const draft = createStore<Draft>(kept(NAME, readDraft, emptyDraft()))
let isFromOtherTab = false
draft.subscribe(() => isFromOtherTab || keep(NAME, storable(draft.get())))

/** Applies the changes of other tabs. `isOwn` returns whether this tab uploads a file. */
export function shareDraft(isOwn: (key: string) => boolean): void {
  onKept(NAME, () => {
    const other = kept(NAME, parseDraft, undefined)
    if (!other) return
    // not written back: that would notify the other tab
    isFromOtherTab = true
    draft.set((own) => mergedDraft(own, other, isOwn))
    isFromOtherTab = false
  })
}

/**
 * Merges the draft of another tab with the state that only this tab has: progress of its uploads, errors, and descriptors
 * that are not stored.
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

/** Returns a draft without errors, and without descriptors that hold keys. */
export function storable({ files, ...others }: Draft): Draft {
  return {
    ...others,
    files: files.filter(isStorable).map(({ error: _, ...file }) => file as DraftFile),
  }
}

function isStorable(file: DraftFile): boolean {
  return file.kind === 'upload' || isPlain(file.object)
}

/** Whether a storage object holds no keys. */
export const isPlain = (object: FileObject): boolean => Object.keys(object).every((key) => PLAIN.has(key))
const PLAIN = new Set(['type', 'url', 'method', 'hash', 'transactionId'])

/** Reads a stored draft. Files of interrupted uploads must be chosen again. Throws if it is invalid. */
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
