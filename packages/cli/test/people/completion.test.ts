import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/commands.js'
import { completion } from '../../src/completion.js'

async function script(shell: 'bash' | 'zsh' | 'fish'): Promise<string> {
  let written = ''
  const { write } = process.stdout
  process.stdout.write = ((text: string) => {
    written += text
    return true
  }) as never
  try {
    await completion(COMMANDS, shell, { json: true })
  } finally {
    process.stdout.write = write
  }
  return (JSON.parse(written) as { script: string }).script
}

const isHere = (program: string) => !spawnSync(program, ['--version']).error

describe('completion', () => {
  /** Returns bash's completions of a line, of which the last word is incomplete. */
  async function offered(...words: string[]): Promise<string[]> {
    const line = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`
    const program = `${await script('bash')}\n${line}\n_tidegate\nprintf '%s\\n' "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-uc', program], { encoding: 'utf8' }).split('\n').filter(Boolean)
  }

  it('of bash completes every command', async () => {
    expect(await offered('tidegate', '')).toEqual([...Object.keys(COMMANDS), '--help', '--version'])
    expect(await offered('tidegate', 'pub')).toEqual(['publish'])
  })

  it('of bash completes the options of a command', async () => {
    expect(await offered('tidegate', 'get', '--pro')).toEqual(['--provider'])
    expect(await offered('tidegate', 'dev', '--rpc-')).toEqual(['--rpc-port'])
    expect(await offered('tidegate', 'show', '--rpc-')).toEqual([])
  })

  it('of bash completes subcommands, their options, and values from a list', async () => {
    expect(await offered('tidegate', 'token', 'c')).toEqual(['create'])
    expect(await offered('tidegate', 'token', 'create', '--life')).toEqual(['--lifetime'])
    expect(await offered('tidegate', 'report', '--by', 'd')).toEqual(['day'])
    expect(await offered('tidegate', 'completion', 'f')).toEqual(['fish'])
  })

  it.skipIf(!isHere('zsh'))('of zsh is accepted by zsh', async () => {
    const program = `autoload -U compinit; compinit -D\n${await script('zsh')}\n(( $+functions[_tidegate] )) && print -r -- $_comps[tidegate]`
    expect(execFileSync('zsh', ['-fc', program], { encoding: 'utf8' })).toBe('_tidegate\n')
  })

  it.skipIf(!isHere('fish'))('of fish is accepted by fish, and completes commands and options', async () => {
    const ask = async (line: string) => {
      const program = `${await script('fish')}\ncomplete -C '${line}'`
      return execFileSync('fish', ['--no-config', '-c', program], { encoding: 'utf8' })
    }
    expect(await ask('tidegate pub')).toMatch(/^publish\t/)
    expect(await ask('tidegate token cr')).toMatch(/^create\t/)
    expect(await ask('tidegate get --pro')).toMatch(/^--provider\t/)
  })
})
