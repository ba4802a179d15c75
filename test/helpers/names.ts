import { NameResolver, type NameResolverOptions } from '../../packages/storage/src/egress/dns/name-resolver.js'
import { NameServer, type Reply } from './name-server.js'

/** The addresses of files.example. */
export const FOUND = [
  { address: '93.184.216.34', family: 4 },
  { address: '2606:2800:220:1:248:1893:25c8:1946', family: 6 },
]

/** A name server with its answers, and resolvers that query it. */
export class Names {
  /** The answers of the name server, by name; a name without one does not exist. */
  readonly replies = new Map<string, Reply>([['files.example', { addresses: FOUND.map(({ address }) => address) }]])
  private readonly resolvers: NameResolver[] = []

  private constructor(
    readonly server: NameServer,
    /** The resolver whose look-ups never time out. */
    public names: NameResolver,
  ) {}

  /** Its name server never answers for names that end in `silent.test`, or `silent` and a number. */
  static async start(): Promise<Names> {
    const server = await NameServer.start((name) =>
      /silent\d*\.test$/.test(name) ? undefined : (all.replies.get(name) ?? { rcode: 3 }),
    )
    const all: Names = new Names(server, undefined as unknown as NameResolver)
    all.names = all.resolver()
    return all
  }

  /** Options with which look-ups never time out. */
  patient(server: NameServer = this.server): NameResolverOptions {
    return { servers: [server.address], deadline: 600_000, attempts: 12 }
  }

  resolver(options: NameResolverOptions = {}): NameResolver {
    const made = new NameResolver({ ...this.patient(), ...options })
    this.resolvers.push(made)
    return made
  }

  close(): void {
    for (const resolver of this.resolvers) resolver.close()
    this.server.close()
  }
}

/** The error code with which a look-up failed. */
export function codeOf(found: Promise<unknown>): Promise<string> {
  return found.then(
    () => 'found',
    ({ code, name }: NodeJS.ErrnoException) => (typeof code === 'string' ? code : name),
  )
}
