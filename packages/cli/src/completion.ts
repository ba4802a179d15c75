import { Argument, Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { bashScript, fishScript, type Spec, zshScript } from './people/completion-scripts.js'
import { Output } from './people/output.js'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const
type Shell = keyof typeof SCRIPTS

/** The commands to complete. */
type Table = Record<string, { summary: string; load(): Promise<{ command(finish: () => void): CommandUnknownOpts }> }>

/** Returns the command's module for a table of commands. */
export const completionOf = (table: Table) => ({
  command: (finish: (code: number) => void) => commandOf(table, finish),
})

const commandOf = (table: Table, finish: (code: number) => void) =>
  new Command('completion')
    .description('Prints the script that completes commands and options in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS) as Shell[]))
    .option('--json', 'print one JSON object on standard output')
    .addHelpText(
      'after',
      [
        '',
        'Example:',
        '  bash: tidegate completion bash > ~/.local/share/bash-completion/completions/tidegate',
        '  zsh:  tidegate completion zsh > a folder of your $fpath/_tidegate',
        '  fish: tidegate completion fish > ~/.config/fish/completions/tidegate.fish',
      ].join('\n'),
    )
    .action(async (shell, options) => finish(await completion(table, shell as Shell, options)))

/** `tidegate completion`. Returns the exit code. */
export async function completion(table: Table, shell: Shell, { json }: { json?: true }): Promise<number> {
  const script = SCRIPTS[shell](await specs(table))
  const out = new Output(json === true)
  out.print(script.trimEnd())
  out.result({ shell, script })
  return 0
}

/** Returns the options of every command and subcommand. */
async function specs(table: Table): Promise<Spec[]> {
  const all: Spec[] = []
  for (const [name, { summary, load }] of Object.entries(table)) {
    const command = (await load()).command(() => undefined)
    all.push(spec(command, [name], summary))
    for (const sub of command.commands) all.push(spec(sub, [name, sub.name()], sub.summary() || sub.description()))
  }
  return all
}

function spec(command: CommandUnknownOpts, path: string[], summary: string): Spec {
  const options = command.options.map(({ long, short, description, argChoices, required, optional }) => ({
    names: [short, long].filter((name) => name !== undefined),
    description,
    takesValue: required || optional,
    choices: argChoices ?? [],
  }))
  const help = { names: ['-h', '--help'], description: 'show the help', takesValue: false, choices: [] }
  const choices = command.registeredArguments[0]?.argChoices ?? []
  return { path, summary, options: [...options, help], choices }
}
