import { cpus } from 'node:os'
import { FAULTS } from './faults/all.js'
import type { Result } from './rounds.js'

const INVARIANTS = [
  'No nonce was accepted twice, over all instances of a database; replays were refused. None decreased.',
  'Every byte that a consumer received was compared with the file: none was wrong, and none was beyond its end.',
  'No truncated response looked complete.',
  'No deleted token was accepted, at any instance.',
  'Every refusal was JSON with a code; none was a 500.',
  'Where a fault leaves downloads possible (one node of two, a transfer that breaks, misbehaving consumers, one instance of several), every download passed.',
  'Within 30 seconds after a fault every instance was ready, and served and described every file, without a restart.',
  'Then, without load: no download active, descriptors and sockets as at the start (up to 24 and 12 more, for threads and pools), less than 400 MiB, event-loop delay below 250 ms.',
  'After each fault that affects the index (of nodes, chain, databases, instances) it was identical, row by row, to that of a new instance on an empty database.',
]

/** Returns a table in Markdown. */
export const table = (head: string[], rows: (string | number)[][]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

/** Names the machine of a run. */
export const machineOf = (): string => `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model}).`

/** Returns the report of a run in Markdown. */
export function reportOf({ plan, begun, seconds, rounds, records, ledger, holdings }: Result): string {
  const sum = [...ledger.requests.values()].reduce((all, { ok, refused, broken }) => all + ok + refused + broken, 0)
  const inSeconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1)
  const faults = FAULTS.flatMap(({ name, about }) => {
    const record = records.get(name)
    if (!record) return []
    const sorted = [...record.recoveries].sort((a, b) => a - b)
    const median = sorted[Math.floor(sorted.length / 2)] as number
    return [[name, about, record.injected, inSeconds(median), inSeconds(sorted.at(-1) as number)]]
  })
  const requests = [...ledger.requests].map(([what, { ok, refused, broken }]) => [what, ok, refused, broken])
  const refusals = [...ledger.refusals].sort((a, b) => b[1] - a[1]).slice(0, 20)
  const held = [...holdings].map(([name, { first, max, last }]) => [
    name,
    ...(['files', 'sockets', 'memory', 'lag'] as const).map((key) => `${first[key]} / ${max[key]} / ${last[key]}`),
  ])
  const { findings } = ledger
  return `# Torture

<!-- Written by \`npm run torture\`. -->

What holds when everything around the service breaks: the last long run with injected faults. For operators and contributors.

A world with everything that the service depends on: a chain with the real contracts behind two nodes, a storage, a name server, an
embedded database with two instances of the built service on it, and a PostgreSQL with two others. Consumers send requests continuously;
faults are injected one after another, first each one, then at random, in three rounds of ten two at once. After each the same invariants
are checked.

    npm run torture -- --minutes ${Math.round((plan.duration ?? 0) / 60_000)} --seed ${plan.seed}

repeats the run below; \`--only "storage overlong"\` injects only that fault, and may be repeated. \`npm run test:tools\` runs a short one.

## The last run

${begun.toISOString().slice(0, 16).replace('T', ' ')} UTC, seed ${plan.seed}: ${Math.round(seconds / 60)} minutes, ${rounds} rounds, ${sum} requests, ${(ledger.bytes / 2 ** 20).toFixed(0)} MiB compared byte by byte,
${ledger.nonces} nonces accepted, ${ledger.copiesRefused} replays refused. ${machineOf()}

${
  findings.length === 0
    ? 'Nothing was found.'
    : `Findings:\n\n${findings.map(({ what, during, at }) => `- ${at}, ${during}: ${what.replaceAll('\n', ' ')}`).join('\n')}`
}

## What was checked

${INVARIANTS.map((line) => `- ${line}`).join('\n')}

## What was injected

Seconds to recover after the fault ended: median and maximum.

${table(['fault', 'what happens', 'times', 'median', 'maximum'], faults)}

Not injected: jumps of the clock, which need the privilege to set it (a clock that was ahead has a test of its own), and loss of power.

## What consumers saw

Requests by kind. They are refused or broken only while a fault lasts, or until the service has recovered.

${table(['request', 'passed', 'refused', 'broken'], requests)}

The most frequent refusals, including replays:

${table(['status and code', 'times'], refusals)}

## Resources of instances at rest

First / maximum / last.

${table(['instance', 'descriptors', 'sockets', 'MiB', 'event-loop delay, ms'], held)}
`
}
