import { type Load, run } from './load.js'

// the load comes from a process of its own, as it does in life
process.on('message', async (load: Load) => {
  process.send?.(await run(load).catch((error: Error) => ({ error: error.message })))
})
