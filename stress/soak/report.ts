import { cpus, totalmem } from 'node:os'
import { FAULTS } from '../torture/faults/all.js'
import type { Held } from './database.js'
import type { Quiet, Rest } from './quiet.js'
import type { Result } from './soak.js'

const INVARIANTS = [
  'No nonce was accepted twice, over all instances and restarts; replays were refused. None decreased, and no instance reported a lower one than had been accepted.',
  'Every byte that a consumer received was compared with the file: none was wrong, and none was beyond its end. No truncated response looked complete.',
  'Every request passed that depends on nothing that was broken just then; with a storage broken, for instance, tokens, quotes and searches went on.',
  'Every refusal had the documented status of its code, and every 5xx was one that a fault under way explains.',
  'No deleted token was accepted, at any instance.',
  "The location of no file was in any header, any error, or any line of an instance's log, though the storage repeats it in its own.",
  'After each fault every instance was ready, counted every node as up, and served and described every file, within 30 seconds and without a restart.',
  'In each quiet phase: no download active, descriptors and sockets as at the start (up to 24 and 12 more), less than 400 MiB, event-loop delay below 250 ms; connections to the database as at the start (up to 4 more), no open transaction, a write-ahead log within what the database keeps (256 MiB, 24 MiB for the embedded one), and no table larger than it must be.',
  'The index was identical, row by row, to that of a new instance on an empty database.',
  'Memory and descriptors of a process that lived through many quiet phases did not grow: the median of the last third was at most a quarter and 24 MiB above that of the first.',
]

/** Quiet phases in the table: the first, the last, and some between. */
const SHOWN = 12

const MIB = 2 ** 20

/** Returns the report of a run in Markdown. */
export function reportOf({
  plan,
  begun,
  seconds,
  interrupted,
  ledger,
  records,
  phases,
  purchases,
  crowded,
}: Result): string {
  const sums = [...ledger.requests.values()]
  const sum = sums.reduce((all, { ok, refused, broken }) => all + ok + refused + broken, 0)
  const options = [
    `--minutes ${Math.round((plan.duration ?? 0) / 60_000)}`,
    `--seed ${plan.seed}`,
    `--rate ${plan.rate}`,
    `--database ${plan.database}`,
    `--instances ${plan.instances}`,
  ]
  const { findings } = ledger
  const requests = [...ledger.requests].map(([what, { ok, refused, broken }]) => [what, ok, refused, broken])
  const refusals = [...ledger.refusals].sort((a, b) => b[1] - a[1]).slice(0, 20)
  const faults = FAULTS.flatMap(({ name, about }) => {
    const { injected, recoveries } = records.get(name) ?? { injected: 0, recoveries: [] }
    return injected > 0 ? [[name, about, injected, inSeconds(Math.max(...recoveries))]] : []
  })
  return `# Soak

<!-- Written by \`npm run soak -- --report FILE\`. -->

What a long run under load with faults leaves behind: the last one, and what was checked in it. For operators and contributors.

The world is that of \`npm run torture\`: a chain with the real contracts behind two nodes, a storage, and instances of the built service on one
database. A mixed load goes on all the time; faults come one after another, sometimes two at once, among them kill -9 of an instance
and restarts of the database. After every ${plan.faultsPerPhase} faults the load pauses, and everything must be back to where it was.

    npm run soak -- ${options.join(' ')}

repeats the run below.

## The last run

${begun.toISOString().slice(0, 16).replace('T', ' ')} UTC, seed ${plan.seed}: ${(seconds / 60).toFixed(0)} minutes${interrupted ? ' (interrupted)' : ''}, ${plan.instances === 1 ? 'one instance' : `${plan.instances} instances`} on one ${plan.database === 'postgres' ? 'PostgreSQL' : 'embedded database'}. ${sum} requests
and ${ledger.copiesRefused} replays; ${ledger.responses} responses, on average ${(ledger.responses / seconds).toFixed(0)} per second, ${(ledger.bytes / MIB).toFixed(0)} MiB compared byte
by byte; ${ledger.nonces} nonces accepted, ${purchases} orders bought meanwhile; ${[...records.values()].reduce((all, { injected }) => all + injected, 0)} faults, ${phases.length} quiet phases.
Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GiB; load, chain, storage and database ran on the same machine.
${crowd(crowded)}

${
  findings.length === 0
    ? 'Nothing was found.'
    : `Findings:\n\n${findings.map(({ what, during, at }) => `- ${at}, ${during}: ${what.replaceAll('\n', ' ')}`).join('\n')}`
}

## What was checked

${INVARIANTS.map((line) => `- ${line}`).join('\n')}

## At rest

Instances in the quiet phases: resident memory after a garbage collection, with the highest since the phase before, descriptors, sockets, and the maximum event-loop delay within
a second. A process that was started anew is marked with its number.

${table(['minute', ...names(phases).map((name) => `${name}: MiB (highest), descriptors, sockets, delay in ms`)], shown(phases).map(instanceRow))}

The database:

${table(['minute', 'connections', 'write-ahead log, MiB', 'rows that are kept by design', 'other rows'], shown(phases).map(databaseRow))}

Rows that are kept: nonces (one for each address), revocations (until a week after the token), deliveries and fees of orders
(\`DELIVERIES_KEEP\`), and what the index needs to roll back \`INDEX_REORG_DEPTH\` blocks, here 64.

## Faults

Seconds to recover after the fault ended: the maximum.

${table(['fault', 'what happens', 'times', 'seconds'], faults)}

## What consumers saw

Requests by kind. They are refused or broken only while a fault lasts, or until the service has recovered.

${table(['request', 'passed', 'refused', 'broken'], requests)}

The most frequent refusals, including replays:

${table(['status and code', 'times'], refusals)}
`
}

/** Says for how long time-outs were no findings. */
function crowd(seconds: number): string {
  if (seconds < 1) return 'It was never crowded.'
  return `It was crowded for ${(seconds / 60).toFixed(1)} minutes (a load average above three for each core, or a second in which nothing ran). Then, and for
half a minute afterwards, requests that time out are no findings, and recovery may take ten times as long.`
}

function table(head: string[], rows: (string | number)[][]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function inSeconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1)
}

function shown(phases: readonly Quiet[]): Quiet[] {
  const step = (phases.length - 1) / (SHOWN - 1)
  if (step <= 1) return [...phases]
  return Array.from({ length: SHOWN }, (_, at) => phases[Math.round(at * step)] as Quiet)
}

function names(phases: readonly Quiet[]): string[] {
  return [...(phases[0]?.instances.keys() ?? [])]
}

function minuteOf({ at }: Quiet): string {
  return (at / 60).toFixed(0)
}

function instanceRow(phase: Quiet): (string | number)[] {
  const cell = ({ memory, peak, files, sockets, lag, starts }: Rest) =>
    `${memory} (${peak}), ${files}, ${sockets}, ${lag}${starts > 1 ? `; start ${starts}` : ''}`
  return [minuteOf(phase), ...[...phase.instances.values()].map(cell)]
}

const KEPT = ['nonces', 'revocations', 'deliveries', 'order_fees', 'index_checkpoint', 'index_undo']

function databaseRow(phase: Quiet): (string | number)[] {
  const [held] = [...phase.databases.values()] as [Held]
  const kept = KEPT.map((name) => `${name} ${held.rows[name]}`).join(', ')
  const others = Object.entries(held.rows).filter(([name]) => !KEPT.includes(name))
  const rest = others.reduce((all, [, count]) => all + count, 0)
  return [minuteOf(phase), held.connections, (held.wal / MIB).toFixed(1), kept, rest]
}
