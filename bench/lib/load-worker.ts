import { type Load, run } from './load.js'

// a separate process, so that the load generator does not share the service's event loop
process.on('message', async (load: Load) => {
  process.send?.(await run(load).catch((error: Error) => ({ error: error.message })))
})
