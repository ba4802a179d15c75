import type { FastifyInstance, RouteHandlerMethod } from 'fastify'

/** Registers GET and HEAD of a path that sends files. `sendsFile`: whether they are sold, or public. */
export function registerFileRoute(
  app: FastifyInstance,
  url: string,
  handler: RouteHandlerMethod,
  sendsFile: 'sold' | 'public' = 'sold',
): void {
  const config = { sendsFile } as const
  // explicit HEAD: the framework's automatic one overwrites the length of the file
  app.route({ method: 'HEAD', url, config, handler })
  app.route({ method: 'GET', url, config, exposeHeadRoute: false, handler })
}
