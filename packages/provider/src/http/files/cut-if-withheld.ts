import type { FastifyReply } from 'fastify'
import type { Withheld } from '../../access/rules/withheld.js'

/** Cuts the connection of a transfer that has begun when its asset is withheld: `check` then rejects with AccessError. */
export function cutIfWithheld(
  reply: FastifyReply,
  withheld: Pick<Withheld, 'watch'>,
  check: () => Promise<void>,
): FastifyReply {
  const { raw, request } = reply
  const { lifetime, log } = request
  if (lifetime.ended || raw.writableEnded) return reply
  const unwatch = withheld.watch(check, () => {
    if (raw.writableEnded) return
    log.warn({}, 'a transfer is cut: its asset is withheld')
    raw.socket?.destroy()
  })
  lifetime.onEnd(unwatch)
  return reply
}
