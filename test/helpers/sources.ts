import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ROOT } from './built.js'

/** What a checkout does not contain, as patterns of .dockerignore. */
const LEFT_OUT = ['.git', '**/node_modules', '**/dist', 'coverage', 'screenshots', 'tidegate-state']

/** Copies the current sources into a folder, and links the installed packages beside them. */
export function copySources(folder: string): void {
  copyBut(LEFT_OUT, folder, ROOT)
  linkPackages(folder)
}

/** The same of what `docker build` gets. */
export function copyForImage(folder: string): void {
  copyContext(folder)
  linkPackages(folder)
}

/** Copies what `docker build` gets from a repository. */
export function copyContext(folder: string, root = ROOT): void {
  copyBut(readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n').filter(Boolean), folder, root)
}

function copyBut(patterns: string[], folder: string, root: string): void {
  const leftOut = patterns.map(expression)
  cpSync(root, folder, {
    recursive: true,
    filter: (path) => !leftOut.some((pattern) => pattern.test(relative(root, path).replaceAll('\\', '/'))),
  })
}

/** A pattern of .dockerignore: from the root, unless it begins with two asterisks, and for all that lies below a match. */
function expression(pattern: string): RegExp {
  if (!/^(\*\*\/)?[\w./*-]+$/.test(pattern))
    throw new Error(`.dockerignore has ${pattern}, which is not understood here.`)
  const [, anywhere = '', path = ''] = /^(\*\*\/)?(.+)$/.exec(pattern) ?? []
  return new RegExp(`^${anywhere && '(.+/)?'}${path.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`)
}

/** Links what `npm ci` installs, for all workspaces and for those that need another release, and the packages of the copy itself. */
function linkPackages(folder: string): void {
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { workspaces: string[] }
  for (const workspace of workspaces) {
    const packages = join(ROOT, workspace, 'node_modules')
    if (existsSync(packages) && existsSync(join(folder, workspace)))
      symlinkSync(packages, join(folder, workspace, 'node_modules'))
  }
  const [own, target] = [join(ROOT, 'node_modules'), join(folder, 'node_modules')]
  mkdirSync(join(target, '@tidegate'), { recursive: true })
  for (const name of readdirSync(own)) if (name !== '@tidegate') symlinkSync(join(own, name), join(target, name))
  for (const workspace of workspaces.filter((path) => path.startsWith('packages/')))
    symlinkSync(join(folder, workspace), join(target, '@tidegate', workspace.slice('packages/'.length)))
}
