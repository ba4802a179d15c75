import { accessList, accessListsOf, addMembers, createAccessList, removeMembers } from '@tidegate/client'
import { useState } from 'preact/hooks'
import type { Address } from 'viem'
import { Button } from '../../parts/button.js'
import { TextField } from '../../parts/fields/field.js'
import { Failed, Notice, Problem, Skeleton } from '../../parts/states.js'
import { Words } from '../../parts/texts/words.js'
import { AddressText } from '../../parts/wallet/address.js'
import { contextNow } from '../../state/context.js'
import { announce } from '../../state/page/announce.js'
import { addressesOf } from '../../state/publishing/publication.js'
import { useResource } from '../../state/resource.js'
import { mineText } from '../../text/mine.js'
import { publishText } from '../../text/publish.js'

/** The access lists that an account has created on the wallet's network. */
export function MyLists({ chainId, owner }: { chainId: number; owner: Address }) {
  const words = mineText
  const found = useResource(`${chainId}/${owner}`, () => accessListsOf(contextNow(), owner, { chainId }), {
    keep: true,
  })
  if (found.error !== undefined) return <Failed title={words.failedLists} error={found.error} onRetry={found.reload} />
  if (!found.value) return <Skeleton lines={8} block />
  const { lists, incomplete } = found.value
  return (
    <div class="stack">
      <p class="muted">{words.listsHint}</p>
      {incomplete && <Notice>{words.incompleteLists}</Notice>}
      {lists.length === 0 && <p>{words.noLists}</p>}
      {lists.map((list) => (
        <List key={list} list={list} chainId={chainId} owner={owner} />
      ))}
      <NewList chainId={chainId} created={found.reload} />
    </div>
  )
}

/** Runs a change of a list, with its state. `change` gets the context of a transaction that the journal names `title`. */
function useChange() {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const run = async (title: string, change: (context: ReturnType<typeof contextNow>) => Promise<unknown>) => {
    setBusy(true)
    setError(undefined)
    try {
      await change(contextNow(() => ({ kind: 'list', title: title.slice(0, 200), step: '' })))
      announce(mineText.listChanged)
    } catch (refusal) {
      setError(refusal)
    }
    setBusy(false)
  }
  return { busy, error, run }
}

function NewList({ chainId, created }: { chainId: number; created: () => void }) {
  const [name, setName] = useState('')
  const [members, setMembers] = useState('')
  const { busy, error, run } = useChange()
  const words = mineText
  const create = () =>
    run(name, async (context) => {
      await createAccessList(context, { name, members: addressesOf(members), chainId })
      setName('')
      setMembers('')
      created()
    })
  return (
    <section class="panel stack" aria-label={words.newList}>
      <h2>{words.newList}</h2>
      <TextField label={words.listName} maxLength={60} value={name} onText={setName} />
      <TextField
        label={words.members}
        hint={publishText.addressesHint}
        class="mono"
        rows={3}
        spellcheck={false}
        value={members}
        onText={setMembers}
      />
      {error !== undefined && <Problem error={error} />}
      <div class="row">
        <Button kind="primary" busy={busy} disabled={name.trim() === ''} onClick={create}>
          {words.createList}
        </Button>
      </div>
    </section>
  )
}

function List({ list, chainId, owner }: { list: Address; chainId: number; owner: Address }) {
  const [page, setPage] = useState(1)
  const [members, setMembers] = useState('')
  const [already, setAlready] = useState(0)
  const found = useResource(`${list}/${page}`, () => accessList(contextNow(), list, { page, chainId }), { keep: true })
  const { busy, error, run } = useChange()
  const words = mineText
  if (found.error !== undefined) return <Problem error={found.error} onRetry={found.reload} />
  if (!found.value) return <Skeleton lines={4} />
  const { name, total, members: shown, more, owner: current } = found.value
  const isOwn = current === owner
  const add = () =>
    run(name, async (context) => {
      const { unchanged } = await addMembers(context, list, addressesOf(members), { chainId })
      setAlready(unchanged.length)
      setMembers('')
      found.reload()
    })
  const remove = (member: Address) =>
    run(name, async (context) => {
      await removeMembers(context, list, [member], { chainId })
      found.reload()
    })
  return (
    <section class="panel stack access-list" data-list={list}>
      <h2>
        <Words text={name} most={60} />
      </h2>
      <p class="row small wrap">
        <AddressText address={list} /> <span>{words.memberCount(total)}</span>
      </p>
      {shown.length === 0 && page === 1 && <p class="muted">{words.noMembers}</p>}
      <ul class="stack" aria-label={words.members}>
        {shown.map((member) => (
          <li key={member} class="row between wrap">
            <AddressText address={member} />
            {isOwn && (
              <Button size="small" busy={busy} label={words.removeMember(member)} onClick={() => remove(member)}>
                {words.remove}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {(page > 1 || more) && (
        <p class="row wrap">
          {page > 1 && <Button onClick={() => setPage(1)}>{words.firstMembers}</Button>}
          {more && <Button onClick={() => setPage(page + 1)}>{words.nextMembers}</Button>}
        </p>
      )}
      {isOwn && (
        <TextField
          label={words.addMembers}
          hint={publishText.addressesHint}
          class="mono"
          rows={2}
          spellcheck={false}
          value={members}
          onText={setMembers}
        />
      )}
      {already > 0 && <Notice>{words.alreadyMembers(already)}</Notice>}
      {error !== undefined && <Problem error={error} />}
      {isOwn && (
        <div class="row">
          <Button busy={busy} disabled={members.trim() === ''} onClick={add}>
            {words.addMembers}
          </Button>
        </div>
      )}
    </section>
  )
}
