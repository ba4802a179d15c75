import { machineOf, table } from '../report.js'
import type { PurchaseResult } from './rounds.js'

const INVARIANTS = [
  'Every payment that the chain has taken is ordered once, or refunded once and in full; a datatoken that was bought is given to the payer then.',
  'Every payer has the order that he paid for. There is no other order, and no other transfer of the account.',
  'The account holds the fees for gas of the orders, to the last unit, and no datatoken. Each of its transactions belongs to a step that is concluded.',
  'Records, and what buyers were told, agree with the chain. No payment was called untaken that was taken.',
  'No changed copy of a payment was taken, and no buyer was asked for a second payment.',
  'Every refusal was JSON with a code; none was a 500.',
  'After each fault something was ordered again within two minutes, without a restart.',
  'No key, signature, nonce of an authorization, identifier or link was in a log. No process was left behind.',
]

/** Returns the report of a run in Markdown. */
export function purchaseReport(result: PurchaseResult): string {
  const { plan, begun, seconds, rounds, records, ledger, faults, reconciled, starts } = result
  const inSeconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1)
  const injected = faults.flatMap(({ name, about }) => {
    const record = records.get(name)
    if (!record) return []
    const sorted = record.recoveries.toSorted((a, b) => a - b)
    const [median, most] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)] as [number, number]
    return [[name, about, record.injected, inSeconds(median), inSeconds(most)]]
  })
  const requests = [...ledger.requests].map(([what, { ok, refused, broken }]) => [what, ok, refused, broken])
  const refusals = [...ledger.refusals].sort((a, b) => b[1] - a[1]).slice(0, 20)
  const minutes = Math.round((plan.duration ?? 0) / 60_000)
  return `# Torture of purchases

<!-- Written by \`npm run torture -- --only purchase\`. -->

Buyers pay by signatures without stopping, at several instances on one PostgreSQL and a chain behind two nodes, while faults are injected. Afterwards every payment is compared with the chain.

    npm run torture -- --only purchase --minutes ${minutes} --seed ${plan.seed}

## The last run

${begun.toISOString().slice(0, 16).replace('T', ' ')} UTC, seed ${plan.seed}: ${Math.round(seconds / 60)} minutes, ${rounds} rounds, ${starts} starts of instances. ${machineOf()}

${
  ledger.findings.length === 0
    ? 'Nothing was found.'
    : `Findings:\n\n${ledger.findings.map(({ what, during, at }) => `- ${at}, ${during}: ${what.replaceAll('\n', ' ')}`).join('\n')}`
}

${reconciled ? table(['payments', 'number'], Object.entries(reconciled)) : 'The payments were not compared.'}

*undone*: a buyer was told of an order that a reorganisation undid.

## What was checked

${INVARIANTS.map((line) => `- ${line}`).join('\n')}

## What was injected

Seconds from the end of the fault to the next order: median and maximum.

${table(['fault', 'what happens', 'times', 'median', 'maximum'], injected)}

## What buyers saw

${table(['request', 'passed', 'refused', 'broken'], requests)}

The most frequent refusals:

${table(['status and code', 'times'], refusals)}
`
}
