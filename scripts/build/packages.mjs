// The packages of the build, from the lockfile: bundled, and installed beside the bundle.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Workspace of tests, benchmarks and checks. */
export const TESTS = 'test'

/** Workspace of the console. */
export const CONSOLE = 'packages/console'

/** Workspace of the build: what it needs and the demo does not. */
export const SCRIPTS = 'scripts'

/** The workspaces in the bundle of the service. */
export const SERVICE = [
  ...['protocol', 'common', 'database', 'chain', 'storage', 'catalog', 'hosting', 'discovery', 'purchases', 'provider'],
  ...['legacy', 'cli', 'dev-network', 'client'],
].map((name) => `packages/${name}`)

/**
 * Returns the bundled packages as sorted keys of the lockfile. `outputs`: from esbuild's metafile. Throws if an
 * installed version is not the locked one, since its hash would be wrong. Throws if a package belongs only to other
 * workspaces than `workspaces`, since without those the bundle would differ.
 */
export function bundledPackages(root, lock, { outputs }, workspaces) {
  const keys = new Set()
  for (const { inputs } of Object.values(outputs))
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const key = /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]
      if (key && bytesInOutput > 0) keys.add(key)
    }
  for (const key of keys) {
    const { version } = manifestOf(root, key)
    const locked = entryOf(lock, key)?.version
    if (version !== locked)
      throw new Error(`${key} is ${version}, and ${locked ?? 'missing'} in package-lock.json. Run npm ci.`)
  }
  const own = new Set(developmentPackages(lock, workspaces))
  const foreign = [...keys].filter((key) => !own.has(key))
  if (foreign.length > 0)
    throw new Error(
      `In the bundle by chance, as something else needs it: ${foreign}. Name it in package.json, or make it external.`,
    )
  return [...keys].sort()
}

/**
 * Returns the packages that `npm install` installs beside the bundle of the service, or of a workspace, on any platform,
 * as sorted keys of the lockfile.
 */
export function installedPackages(lock, workspace = '') {
  const found = new Set()
  const waiting = [workspace]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
    for (const key of dependenciesOf(lock, at)) {
      if (found.has(key)) continue
      found.add(key)
      waiting.push(key)
    }
  return [...found].sort()
}

/**
 * Returns the development packages of the root and some workspaces, as keys of the lockfile. Without optional ones,
 * which depend on the platform, and without peers, which are all named.
 */
export function developmentPackages(lock, workspaces) {
  const links = Object.entries(lock.packages).filter(([, { link, resolved }]) => link && workspaces.includes(resolved))
  const found = new Set(links.map(([key]) => key))
  const waiting = ['', ...workspaces]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const { dependencies, devDependencies, optionalDependencies = {} } = lock.packages[at]
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      const key = located(lock, at, name)
      if (name in optionalDependencies || found.has(key)) continue
      found.add(key)
      waiting.push(key)
    }
  }
  return [...found].sort()
}

/**
 * Returns the runtime dependencies of a package that the lockfile has, as keys. `withOptionalPeers`: also optional
 * peers, which the package uses if they are installed.
 */
export function dependenciesOf(lock, key, withOptionalPeers = false) {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = entryOf(lock, key)
  const isWanted = (name) => withOptionalPeers || !peerDependenciesMeta?.[name]?.optional
  const peers = Object.keys(peerDependencies ?? {}).filter(isWanted)
  const names = [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]
  return names.flatMap((name) => located(lock, key, name) ?? [])
}

/** Returns where Node finds a package for another one: beside it, or beside one of the folders above. */
export function located(lock, from, name) {
  for (let at = from; ; at = at.replace(/(?:^|\/)(?:node_modules\/(?:@[^/]+\/)?)?[^/]+$/, '')) {
    const key = `${at}${at && '/'}node_modules/${name}`
    if (key in lock.packages) return key
    if (at === '') return undefined
  }
}

/** Returns a package of the lockfile. A workspace is a link, which is resolved to its entry. */
export function entryOf(lock, key) {
  const entry = lock.packages[key]
  return entry?.link ? lock.packages[entry.resolved] : entry
}

/** Returns the name of a package. Under an alias, its folder differs. */
export function nameOf(lock, key) {
  return entryOf(lock, key).name ?? key.slice(key.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/** The package.json of an installed package. */
export function manifestOf(root, key) {
  return JSON.parse(readFileSync(join(root, key, 'package.json'), 'utf8'))
}
