import Fastify from 'fastify'
import type { SampleFile } from './files.js'

export interface FileServer {
  port: number
  urlOf(file: SampleFile): string
  close(): Promise<void>
}

/** Serves sample files that are not uploaded to the service. Port 0: any free one. Rejects if the port is in use. */
export async function startFileServer(files: readonly SampleFile[], port: number): Promise<FileServer> {
  const app = Fastify({ forceCloseConnections: true })
  for (const { name, contentType, content } of files)
    app.get(`/${name}`, (_request, reply) => reply.type(contentType).send(content))
  const origin = await app.listen({ host: '127.0.0.1', port })
  return {
    port: Number(new URL(origin).port),
    urlOf: ({ name }) => `${origin}/${name}`,
    close: () => app.close(),
  }
}
