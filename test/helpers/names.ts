import { NameResolver, type NameResolverOptions } from '../../src/storage/resolver.js'
import { NameServer, type Reply } from './name-server.js'

/** What names.example files.example is. */
export const FOUND = [
  { address: '93.184.216.34', family: 4 },
  { address: '2606:2800:220:1:248:1893:25c8:1946', family: 6 },
]

/** A name server with what it says, and resolvers that ask it. */
export class Names {
  /** What the name server says of a name: there is none, unless a test says otherwise. */
  readonly replies = new Map<string, Reply>([['files.example', { addresses: FOUND.map(({ address }) => address) }]])
  private readonly resolvers: NameResolver[] = []

  private constructor(
    readonly server: NameServer,
    /** The one whose look-ups never end by themselves. */
    public names: NameResolver,
  ) {}

  /** Its name server never answers for what ends in `silent.test`, or `silent` and a number. */
  static async start(): Promise<Names> {
    const server = await NameServer.start((name) =>
      /silent\d*\.test$/.test(name) ? undefined : (all.replies.get(name) ?? { rcode: 3 }),
    )
    const all: Names = new Names(server, undefined as unknown as NameResolver)
    all.names = all.resolver()
    return all
  }

  /** Options with which look-ups never end by themselves. */
  patient(server: NameServer = this.server): NameResolverOptions {
    return { servers: [server.address], deadline: 600_000, tries: 12 }
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

/** How a look-up ended: the code of its error. */
export function codeOf(found: Promise<unknown>): Promise<string> {
  return found.then(
    () => 'found',
    ({ code, name }: NodeJS.ErrnoException) => (typeof code === 'string' ? code : name),
  )
}
