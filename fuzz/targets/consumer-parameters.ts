import fc from 'fast-check'
import { completeUserdata } from '../../src/access/parameters.js'
import { countProblem } from '../../src/assets/counts.js'
import { PARAMETERS } from '../lib/honest.js'
import { mutated } from '../lib/mutate.js'
import { oddJson } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const sent = fc.oneof(
  mutated<unknown>(fc.constant({ day: '1', count: 5, all: 'true', where: 'de', how: 'b' })),
  oddJson(),
)

/** The consumerParameters of a publisher, and what a consumer sends for them. */
export default target({
  inputs: fc.record({ declared: fc.oneof(mutated<unknown>(fc.constant(PARAMETERS)), oddJson()), sent }),
  read({ declared, sent: values }) {
    // as documents are checked before
    if (countProblem({ services: [{ consumerParameters: declared }] })) return
    const userdata = typeof values === 'object' && values !== null && !Array.isArray(values) ? values : undefined
    const complete = completeUserdata(declared, userdata as Record<string, unknown> | undefined)
    if (complete) JSON.stringify(complete)
    for (const name of Object.keys(userdata ?? {}))
      holds(complete && Object.hasOwn(complete, name), 'nothing that was sent is lost')
  },
})
