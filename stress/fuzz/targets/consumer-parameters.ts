import fc from 'fast-check'
import { listLimitProblem } from '../../../packages/protocol/src/ddo/list-limits.js'
import { completeUserdata } from '../../../packages/provider/src/access/parameters.js'
import { PARAMETERS } from '../lib/honest.js'
import { mutated } from '../lib/mutate.js'
import { edgeCaseJson } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const sent = fc.oneof(
  mutated<unknown>(fc.constant({ day: '1', count: 5, all: 'true', where: 'de', how: 'b' })),
  edgeCaseJson(),
)

/** The consumerParameters of a publisher, and the userdata of a consumer. */
export default target({
  inputs: fc.record({ declared: fc.oneof(mutated<unknown>(fc.constant(PARAMETERS)), edgeCaseJson()), sent }),
  read({ declared, sent: values }) {
    // list limits of documents are checked earlier
    if (listLimitProblem({ services: [{ consumerParameters: declared }] })) return
    const userdata = typeof values === 'object' && values !== null && !Array.isArray(values) ? values : undefined
    const complete = completeUserdata(declared, userdata as Record<string, unknown> | undefined)
    if (complete) JSON.stringify(complete)
    for (const name of Object.keys(userdata ?? {}))
      holds(complete && Object.hasOwn(complete, name), 'no sent value is lost')
  },
})
