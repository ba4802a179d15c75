import { didOf, type FileObject, type PublishRequest, publish, withLocationNames } from '@tidegate/client'
import { SECONDS } from '@tidegate/protocol/constants'
import type { Hex } from 'viem'
import { contextNow } from '../context.js'
import { type Entry, entries, type Purpose } from '../journal.js'
import { createStore } from '../store.js'
import { type Draft, type DraftFile, draft } from './draft.js'
import { termsIn } from './terms-draft.js'

/** The progress of a draft's publication. */
export type Progress =
  | { phase: 'none' }
  | { phase: 'asked' | 'unsure'; entry: Entry }
  | { phase: 'creating'; entry: Entry }
  | { phase: 'created'; hash: Hex }
  | { phase: 'finishing'; entry: Entry }
  | { phase: 'published'; did: string }

/** Returns the progress of a draft from the journal, which includes earlier visits. */
export function progressOf(all: readonly Entry[], id: string): Progress {
  const own = all.filter((entry) => entry.draft === id)
  const having = (part: Entry['part'], ...states: Entry['state'][]) =>
    own.find((entry) => entry.part === part && states.includes(entry.state))
  const done = having('metadata', 'mined')
  if (done?.to) return { phase: 'published', did: didOf(done.to, done.chainId) }
  const finishing = having('metadata', 'sent')
  if (finishing) return { phase: 'finishing', entry: finishing }
  const open = own.find(({ state }) => state === 'asked' || state === 'unsure')
  if (open) return { phase: open.state as 'asked' | 'unsure', entry: open }
  const created = having('create', 'mined')
  if (created?.hash) return { phase: 'created', hash: created.hash }
  const creating = having('create', 'sent')
  if (creating) return { phase: 'creating', entry: creating }
  return { phase: 'none' }
}

export interface Run {
  running: boolean
  step: string
  error?: unknown
}

/** The running publication of this visit. */
export const publishing = createStore<Run>({ running: false, step: '' })

/** Returns the library's request for a draft. */
export function requestOf(of: Draft): PublishRequest {
  const { files, anonymous, name, description, author, license, tags, price, days, access, unlisted, chainId } = of
  const terms = termsIn(of.terms)
  const addresses = addressesOf(access.list)
  const objects = files.flatMap((file) => (file.object ? [publicObject(file, file.object, anonymous)] : []))
  return {
    files: anonymous ? objects : withLocationNames(objects),
    name: name.trim(),
    ...(description.trim() ? { description: description.trim() } : {}),
    ...(author.trim() ? { author: author.trim() } : {}),
    ...(license.trim() ? { license: license.trim() } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    price:
      price.kind === 'free'
        ? 'free'
        : { amount: price.amount.trim(), ...(price.token ? { token: price.token as `0x${string}` } : {}) },
    ...(access.kind === 'list' ? { access: addresses } : {}),
    ...(terms && !('problem' in terms) ? { terms } : {}),
    ...(of.samples.length > 0 ? { samples: of.samples.map(({ url }) => url) } : {}),
    ...(unlisted ? { unlisted } : {}),
    ...(access.kind === 'members' ? { accessLists: addresses } : {}),
    timeout: days.trim() ? Math.round(Number(days) * SECONDS.day) : 0,
    ...(chainId === undefined ? {} : { chainId }),
  }
}

function publicObject(file: DraftFile, object: FileObject, anonymous: boolean): FileObject {
  return file.kind === 'upload' && !anonymous ? { ...object, name: file.name } : object
}

export function addressesOf(list: string): `0x${string}`[] {
  return list.split(/[\s,;]+/).filter(Boolean) as `0x${string}`[]
}

/** Publishes the draft, from the state of its transactions. */
export async function publishDraft(): Promise<void> {
  if (publishing.get().running) return
  const of = draft.get()
  const before = progressOf(entries.get(), of.id)
  if (before.phase !== 'none' && before.phase !== 'created') return
  const resume = before.phase === 'created' ? before.hash : undefined
  let step = ''
  let part: Purpose['part'] = resume ? 'metadata' : 'create'
  const purpose = (): Purpose => {
    const made: Purpose = {
      kind: 'publish',
      draft: of.id,
      title: of.name.slice(0, 200),
      step,
      ...(part ? { part } : {}),
    }
    part = 'metadata'
    return made
  }
  const onStep = (next: string) => {
    step = next
    publishing.set({ running: true, step })
  }
  publishing.set({ running: true, step })
  try {
    const request = { ...requestOf(of), onStep, ...(resume ? { resume } : {}) }
    await publish(contextNow(purpose), request)
    publishing.set({ running: false, step: '' })
  } catch (error) {
    publishing.set({ running: false, step: '', error })
  }
}
