import { cpus } from 'node:os'
import { FAULTS } from './faults/all.js'
import type { Result } from './rounds.js'

const INVARIANTS = [
  'No nonce was accepted twice, over all instances of a database; requests that passed were sent again, and refused. None went down.',
  'Every byte that a consumer got was compared with the file: none was wrong, and none lay beyond its end.',
  'No answer that was cut looked complete.',
  'No deleted token passed, at any instance.',
  'Every refusal was JSON with a code; none was a 500.',
  'Where a fault leaves downloads a way (one node of two, a transfer that breaks, consumers who misbehave, one instance of several), every download passed.',
  'Within 30 seconds after a fault every instance was ready, handed out and described every file, without a restart.',
  'Then, with nobody asking: no download counted as active, descriptors and sockets as at first (up to 24 and 12 more, for threads and pools), below 400 MiB, the event loop held for less than 250 ms.',
  'After each fault that the index can suffer from (of nodes, chain, databases, instances) it was, row by row, that of a new instance on an empty database.',
]

/** The report of a run, as a document. */
export function reportOf({ plan, begun, seconds, rounds, records, ledger, holdings }: Result): string {
  const table = (head: string[], rows: (string | number)[][]) =>
    [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
  const sum = [...ledger.requests.values()].reduce((all, { ok, refused, broken }) => all + ok + refused + broken, 0)
  const inSeconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1)
  const faults = FAULTS.flatMap(({ name, about }) => {
    const record = records.get(name)
    if (!record) return []
    const sorted = [...record.recoveries].sort((a, b) => a - b)
    const middle = sorted[Math.floor(sorted.length / 2)] as number
    return [[name, about, record.injected, inSeconds(middle), inSeconds(sorted.at(-1) as number)]]
  })
  const requests = [...ledger.requests].map(([what, { ok, refused, broken }]) => [what, ok, refused, broken])
  const refusals = [...ledger.refusals].sort((a, b) => b[1] - a[1]).slice(0, 20)
  const held = [...holdings].map(([name, { first, most, last }]) => [
    name,
    ...(['files', 'sockets', 'memory', 'lag'] as const).map((key) => `${first[key]} / ${most[key]} / ${last[key]}`),
  ])
  const { findings } = ledger
  return `# Torture

<!-- Written by \`npm run torture\`. -->

A world with everything that the service depends on: a chain with the real contracts behind two nodes, a storage, a name server, an
embedded database with two instances of the built service on it, and a PostgreSQL with two others. Consumers use all of it all the time;
faults are injected one after another, first each one, then at random, in three rounds of ten two at once. After each the same is
checked.

    npm run torture -- --minutes ${Math.round((plan.duration ?? 0) / 60_000)} --seed ${plan.seed}

repeats the run below; \`--only "storage overlong"\` injects one fault alone, and may be given several times. \`npm test\` runs a short one.

## The last run

${begun.toISOString().slice(0, 16).replace('T', ' ')} UTC, seed ${plan.seed}: ${Math.round(seconds / 60)} minutes, ${rounds} rounds, ${sum} requests, ${(ledger.bytes / 2 ** 20).toFixed(0)} MiB compared byte by byte,
${ledger.nonces} nonces accepted, ${ledger.copiesRefused} copies of requests refused. Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model}).

${
  findings.length === 0
    ? 'Nothing was found.'
    : `Found:\n\n${findings.map(({ what, during, at }) => `- ${at}, ${during}: ${what.replaceAll('\n', ' ')}`).join('\n')}`
}

## What was checked

${INVARIANTS.map((line) => `- ${line}`).join('\n')}

## What was injected

Seconds until all was well again after the fault ended: the middle, and the most.

${table(['fault', 'what happens', 'times', 'middle', 'most'], faults)}

Not injected: jumps of the clock, which need the privilege to set it (a clock that was ahead has a test of its own), and loss of power.

## What consumers saw

Requests by what they asked for. Refused or broken they are while a fault lasts, or until all is well again.

${table(['request', 'passed', 'refused', 'broken'], requests)}

The most frequent refusals, copies of used requests among them:

${table(['status and code', 'times'], refusals)}

## What instances held at rest

At first / at most / at last.

${table(['instance', 'descriptors', 'sockets', 'MiB', 'ms the loop was held'], held)}
`
}
