/** What is completed of a command. */
export interface Spec {
  /** Its name, after that of the command that it belongs to. */
  path: string[]
  summary: string
  options: { names: string[]; description: string; takesValue: boolean; choices: readonly string[] }[]
  /** The values of its first argument, if there is a list of them. */
  choices: readonly string[]
}

const subcommands = (specs: readonly Spec[], [parent]: readonly string[]) =>
  specs.filter(({ path }) => path.length === 2 && path[0] === parent).map(({ path }) => path[1] as string)

const flags = ({ options }: Spec) => options.flatMap(({ names }) => names)

/** The script of bash. Where neither a command nor an option fits, bash completes file names. */
export function bashScript(specs: readonly Spec[]): string {
  const top = specs.filter(({ path }) => path.length === 1)
  const wordsOf = (spec: Spec) =>
    [...(spec.path.length === 1 ? subcommands(specs, spec.path) : []), ...spec.choices, ...flags(spec)].join(' ')
  const withValue = specs.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ names, choices }) => ({ keys: names.map((name) => `"${path.join(' ')}:${name}"`).join('|'), choices })),
  )
  // if nothing is offered the shell completes file names by itself
  const files = withValue.filter(({ choices }) => choices.length === 0).map(({ keys }) => keys)
  const chosen = withValue
    .filter(({ choices }) => choices.length > 0)
    .map(({ keys, choices }) => `    ${keys}) words="${choices.join(' ')}" ;;`)
  return `# completion of tidegate for bash
_tidegate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="" words=""
  if (( COMP_CWORD > 1 )); then command="\${COMP_WORDS[1]}"; fi
  case "$command \${COMP_WORDS[2]-}" in
${specs
  .filter(({ path }) => path.length === 2)
  .map(({ path }) => `    "${path.join(' ')}") if (( COMP_CWORD > 2 )); then command="${path.join(' ')}"; fi ;;`)
  .join('\n')}
  esac
  COMPREPLY=()
  case "$command:$before" in
    ${files.join('|')}) return 0 ;;
${chosen.join('\n')}
  esac
  if [[ $words ]]; then command="value"; fi
  case "$command" in
    "value") ;;
    "") words="${top.map(({ path }) => path[0]).join(' ')} --help --version" ;;
${specs.map((spec) => `    "${spec.path.join(' ')}") words="${wordsOf(spec)}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  return 0
}
complete -o default -F _tidegate tidegate
`
}

/** The script of zsh, for a folder of \`$fpath\` or to be sourced. */
export function zshScript(specs: readonly Spec[]): string {
  const top = specs.filter(({ path }) => path.length === 1)
  const described = (name: string, text: string) => quoted(`${name.replaceAll(':', '\\:')}:${text}`)
  const argument = ({ names, description, takesValue, choices }: Spec['options'][number]) =>
    names.map((name) => {
      const value = takesValue ? `:value:${choices.length > 0 ? `(${choices.join(' ')})` : '_files'}` : ''
      return quoted(`*${name}[${description.replaceAll(/[[\]\\:]/g, '\\$&')}]${value}`)
    })
  const body = (spec: Spec) => {
    const subs = spec.path.length === 1 ? subcommands(specs, spec.path) : []
    const first = [...subs, ...spec.choices]
    const rest = first.length > 0 ? quoted(`1:command:(${first.join(' ')})`) : quoted('*:file:_files')
    return `      _arguments ${[...spec.options.flatMap(argument), rest].join(' ')}`
  }
  return `#compdef tidegate
# completion of tidegate for zsh
_tidegate() {
  local -a commands
  commands=(
${top.map(({ path, summary }) => `    ${described(path[0] as string, summary)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="$words[2]"
  case "$words[2] $words[3]" in
${specs
  .filter(({ path }) => path.length === 2)
  .map(
    ({ path }) =>
      `    (${quoted(path.join(' '))}) if (( CURRENT > 3 )); then command=${quoted(path.join(' '))}; shift words; (( CURRENT-- )); fi ;;`,
  )
  .join('\n')}
  esac
  shift words
  (( CURRENT-- ))
  case "$command" in
${specs.map((spec) => `    (${quoted(spec.path.join(' '))})\n${body(spec)} ;;`).join('\n')}
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _tidegate "$@"; else compdef _tidegate tidegate; fi
`
}

/** The script of fish. */
export function fishScript(specs: readonly Spec[]): string {
  const names = specs.filter(({ path }) => path.length === 1).map(({ path }) => path[0] as string)
  const lines = [
    `# completion of tidegate for fish`,
    'complete -c tidegate -f -n __fish_use_subcommand -l help -l version',
  ]
  for (const spec of specs) {
    const [name, sub] = spec.path as [string, string | undefined]
    const siblings = subcommands(specs, spec.path).join(' ')
    const parent = `__fish_seen_subcommand_from ${name}`
    if (sub === undefined)
      lines.push(
        `complete -c tidegate -f -n "not __fish_seen_subcommand_from ${names.join(' ')}" -a ${name} -d ${quoted(spec.summary)}`,
      )
    else
      lines.push(
        `complete -c tidegate -f -n "${parent}; and not __fish_seen_subcommand_from ${siblings}" -a ${sub} -d ${quoted(spec.summary)}`,
      )
    const here = sub === undefined ? parent : `${parent}; and __fish_seen_subcommand_from ${sub}`
    if (spec.choices.length > 0) lines.push(`complete -c tidegate -f -n "${here}" -a ${quoted(spec.choices.join(' '))}`)
    for (const option of spec.options) lines.push(`complete -c tidegate -n "${here}" ${fishOption(option)}`)
  }
  return `${lines.join('\n')}\n`
}

function fishOption({ names, description, takesValue, choices }: Spec['options'][number]): string {
  const forms = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  const value = takesValue ? ['-r', ...(choices.length > 0 ? [`-f -a ${quoted(choices.join(' '))}`] : [])] : []
  return [...forms, ...value, `-d ${quoted(description)}`].join(' ')
}

/** In single quotes, for all three shells: one inside is left and begun again. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
