import { Outbound } from './outbound/outbound.js'

const TIMEOUT = 3000

/** `tidegate health`: asks a service of this machine at a port whether it lives. Answers the exit code: 0 where it does. */
export async function health(port: number): Promise<number> {
  const outbound = new Outbound({ timeout: TIMEOUT, maxSize: 65_536 })
  const lives = await outbound.get(`http://127.0.0.1:${port}/live`).then(
    ({ status }) => status === 200,
    () => false,
  )
  await outbound.close()
  return lives ? 0 : 1
}
