import { spawnSync } from 'node:child_process'
import { compareVersions, parseVersion } from './versions.js'

/** The environment without the working folder of npm and git, which they pass to child processes. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_(package_|lifecycle_|config_local_prefix)|INIT_CWD$|GIT_(DIR|WORK_TREE|INDEX_FILE)$)/.test(name),
  ),
)

/** Runs a program and returns its standard output. Throws an error with its standard error if it fails. */
export function run(cwd: string, program: string, args: string[], env: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env: { ...ENVIRONMENT, ...env },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32' && program === 'npm',
  })
  if (error) throw error
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stderr}`)
  return stdout.trim()
}

/** A commit to release. */
export interface Commit {
  hash: string
  /** Commit time, in seconds since 1970. */
  time: string
  /** Highest tagged version among its ancestors. */
  released?: string | undefined
  /** Whether the working folder has no uncommitted changes. */
  isClean: boolean
}

/** The commit that is checked out in a folder. Throws if that is not a git repository. */
export function headOf(root: string): Commit {
  const [hash = '', time = ''] = run(root, 'git', ['log', '-1', '--format=%H %ct']).split(' ')
  const isClean = run(root, 'git', ['status', '--porcelain']) === ''
  return { hash, time, released: highestTag(root, ['--merged', hash]), isClean }
}

/** Returns the highest tagged version; undefined if there is none. `which`: options of `git tag`. */
export function highestTag(root: string, which: string[] = []): string | undefined {
  const tags = run(root, 'git', ['tag', ...which, '--list', 'v[0-9]*']).split('\n')
  const [highest] = tags.flatMap((tag) => parseVersion(tag.slice(1)) ?? []).sort((a, b) => compareVersions(b, a))
  return highest && [highest.numbers.join('.'), highest.preRelease.join('.')].filter(Boolean).join('-')
}

/** Whether a version has a tag, on this branch or another one. */
export function isTagged(root: string, version: string): boolean {
  return run(root, 'git', ['tag', '--list', `v${version}`]) !== ''
}

/** Checks a commit out into a new folder, so that no uncommitted file gets into a package. */
export function checkOut(root: string, { hash }: Commit, folder: string): void {
  run(root, 'git', ['clone', '--quiet', '--shared', '--no-checkout', root, folder])
  run(folder, 'git', ['checkout', '--quiet', '--detach', hash])
}
