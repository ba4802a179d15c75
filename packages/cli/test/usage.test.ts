import { describe, expect, it } from 'vitest'
import { runHere } from '../../../test/helpers/command-here.js'
import { COMMANDS } from '../src/commands.js'

describe('the command line', () => {
  it('lists every command, and shows the options of each', async () => {
    const { status, stdout } = await runHere(['--help'], {})
    expect(status).toBe(0)
    for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
      expect(stdout.replace(/\s+/g, ' ')).toContain(`${name} ${summary}`)
      const command = (await load()).command(() => undefined)
      expect(command.name()).toBe(name)
      expect(command.helpInformation()).toMatch(/\n\n[\s\S]+\.\n\n(Arguments|Options|Commands):/)
    }
  })

  it('has an example and --json in the help of every command for publishers and buyers', async () => {
    for (const [name, { group, load }] of Object.entries(COMMANDS)) {
      if (group !== 'people') continue
      const command = (await load()).command(() => undefined)
      for (const one of command.commands.length > 0 ? command.commands : [command]) {
        let help = ''
        one.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
        expect(help, name).toMatch(new RegExp(`\\nExample:\\n.*tidegate ${name} `))
        expect(help, name).toMatch(/^ +--json +print one JSON object/m)
      }
    }
  })

  it('shows the help of one command', async () => {
    const shown = { status: 0, stdout: expect.stringContaining('--chain <id>'), stderr: '' }
    expect(await runHere(['reindex', '--help'], {})).toMatchObject(shown)
    expect(await runHere(['help', 'reindex'], {})).toMatchObject(shown)
  })

  it.each([
    ['no command', [], /^Usage: tidegate/],
    ['an unknown command', ['nope'], /^tidegate: unknown command 'nope'/],
    ['an unknown option', ['start', '--bad'], /^tidegate: unknown option '--bad'\nRun `tidegate start --help`/],
    ['an argument too many', ['config', 'x'], /^tidegate: too many arguments/],
    [
      'a chain that is no number',
      ['reindex', '--chain', 'x'],
      /^tidegate: option '--chain <id>' argument 'x' is invalid/,
    ],
    ['a port out of range', ['dev', '--port', '65536'], /^tidegate: option '--port <n>' .* from 0 to 65535/],
    ['a subcommand that is missing', ['keys'], /^Usage: tidegate keys/],
    ['an option of a subcommand', ['keys', 'make', '--bad'], /Run `tidegate keys make --help`/],
    ['no source', ['state', 'copy'], /^tidegate: --from is required, or COPY_FROM, or COPY_FROM_FILE\.$/m],
    [
      'another source',
      ['state', 'copy', '--from', 'disk'],
      /^tidegate: --from: must be sqlite:DIR or a postgres:\/\/ URL/,
    ],
    [
      'a folder that the system never makes',
      ['state', 'copy', '--from', 'sqlite:/proc/x', '--to', 'sqlite:/proc/y'],
      /^tidegate: --from: must not be below \/proc/,
    ],
    ['no file', ['state', 'backup'], /^tidegate: missing required argument 'file'/],
  ])('exits with 2 on %s', async (_, args, message) => {
    expect(await runHere(args, {})).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(message) })
  })
})
