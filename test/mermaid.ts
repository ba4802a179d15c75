/** One kind of diagram: the syntax of its lines, and how they declare the names that they connect. */
interface Kind {
  line: RegExp
  /** Names that a line declares. */
  declared(line: string): string[]
  /** Names that a line uses. */
  used(line: string): string[]
}

const SHAPE = String.raw`(?:\["[^"]+"\]|\{"[^"]+"\}|\(\["[^"]+"\]\)|\[\("[^"]+"\)\])`
const NODE = String.raw`[A-Za-z]\w*${SHAPE}?`
const EDGE = String.raw`<?-->(?:\|(?:"[^"]+"|[^"|(){}[\]]+)\|)?`

/** The kinds that the pages use, by the first line of a block. A small subset of Mermaid. */
const KINDS: [RegExp, Kind][] = [
  [
    /^flowchart (TD|LR)$/,
    {
      line: new RegExp(`^${NODE}(?: ${EDGE} ${NODE})*$`),
      declared: (line) => [...line.matchAll(new RegExp(`([A-Za-z]\\w*)${SHAPE}`, 'g'))].map(([, id]) => id as string),
      used: (line) =>
        line
          .replaceAll(new RegExp(SHAPE, 'g'), '')
          .split(new RegExp(` ${EDGE} `))
          .map((id) => id.trim()),
    },
  ],
  [
    /^sequenceDiagram$/,
    {
      line: /^(?:(?:actor|participant) \w+ as .+|\w+-?->>\w+: .+)$/,
      declared: (line) => /^(?:actor|participant) (\w+)/.exec(line)?.slice(1) ?? [],
      used: (line) => /^(\w+)-?->>(\w+):/.exec(line)?.slice(1) ?? [],
    },
  ],
  [
    /^stateDiagram-v2$/,
    {
      line: /^(?:state "[^"]+" as \w+|(?:\w+|\[\*\]) --> \w+(?:: .+)?)$/,
      declared: (line) => /^state "[^"]+" as (\w+)/.exec(line)?.slice(1) ?? [],
      used: (line) =>
        /^(\w+|\[\*\]) --> (\w+)/
          .exec(line)
          ?.slice(1)
          .filter((name) => name !== '[*]') ?? [],
    },
  ],
]

/** The problems of a Mermaid diagram: lines with an unknown syntax, and names that are declared twice or never. */
export function diagramProblems(text: string): string[] {
  const [first = '', ...rest] = text.trimEnd().split('\n')
  const kind = KINDS.find(([begins]) => begins.test(first))?.[1]
  if (!kind) return [`unknown kind of diagram: ${first}`]
  const lines = rest.map((line) => line.trim())
  const declared = lines.flatMap((line) => kind.declared(line))
  const names = new Set(declared)
  return [
    ...lines.filter((line) => !kind.line.test(line)).map((line) => `no line of this diagram: ${line}`),
    ...declared.filter((name, at) => declared.indexOf(name) !== at).map((name) => `declared twice: ${name}`),
    ...lines
      .flatMap((line) => kind.used(line))
      .filter((name) => !names.has(name))
      .map((name) => `not declared: ${name}`),
  ]
}
