import type { FastifyInstance, RouteHandlerMethod } from 'fastify'

/** Registers GET and HEAD of a path that sends files. */
export function registerFileRoute(app: FastifyInstance, url: string, handler: RouteHandlerMethod): void {
  const config = { sendsFile: true } as const
  // explicit HEAD: the framework's automatic one overwrites the length of the file
  app.route({ method: 'HEAD', url, config, handler })
  app.route({ method: 'GET', url, config, exposeHeadRoute: false, handler })
}
