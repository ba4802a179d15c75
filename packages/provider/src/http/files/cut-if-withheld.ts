import type { FastifyReply } from 'fastify'
import type { Withheld } from '../../access/rules/withheld.js'

/**
 * Cuts the connection of a transfer when its asset is withheld: `check` then rejects with AccessError. Must be called before the transfer
 * is checked itself, so that no change falls between both.
 */
export function cutIfWithheld(
  reply: FastifyReply,
  withheld: Pick<Withheld, 'watch'>,
  check: () => Promise<void>,
): void {
  const { raw, request } = reply
  const { lifetime, log } = request
  if (lifetime.ended) return
  const unwatch = withheld.watch(check, () => {
    if (raw.writableEnded) return
    log.warn({}, 'a transfer is cut: its asset is withheld')
    raw.socket?.destroy()
  })
  lifetime.onEnd(unwatch)
}
