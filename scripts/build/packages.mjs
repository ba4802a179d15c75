// The packages that the built package consists of, from the lockfile: in the bundle, and installed beside it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The workspace of what only tests, benchmarks and checks need. */
export const TESTS = 'test'

/** The workspace of the web page. */
export const CONSOLE = 'packages/console'

/** The workspaces in the bundle of the service. */
export const SERVICE = [
  ...['protocol', 'common', 'database', 'chain', 'storage', 'catalog', 'hosting', 'provider', 'cli', 'dev-network'],
  'client',
].map((name) => `packages/${name}`)

/**
 * The packages with code in the bundle, as keys of the lockfile, sorted. `outputs` are those of esbuild's metafile.
 * Throws where the installed version is not the locked one, since its hash would be that of something else; and where a
 * package is there for other workspaces than `workspaces` alone, since without them the bundle would be another one.
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

/** The packages that `npm install` installs beside the bundle of the service, or of a workspace, on any platform, as keys of the lockfile, sorted. */
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
 * The packages that the root and some workspaces are developed with, as keys of the lockfile. Optional ones are left out,
 * since the platform decides on them; peers are, since each that is needed is named.
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
 * What a package needs when it runs, as keys of the lockfile; what the lockfile does not have is left out. Peers that it
 * can do without are not installed for it, but it uses them where they are: `withOptionalPeers` counts them.
 */
export function dependenciesOf(lock, key, withOptionalPeers = false) {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = entryOf(lock, key)
  const isWanted = (name) => withOptionalPeers || !peerDependenciesMeta?.[name]?.optional
  const peers = Object.keys(peerDependencies ?? {}).filter(isWanted)
  const names = [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]
  return names.flatMap((name) => located(lock, key, name) ?? [])
}

/** Where Node finds a package that another one asks for: beside it, or beside one of the folders above. */
export function located(lock, from, name) {
  for (let at = from; ; at = at.replace(/(?:^|\/)(?:node_modules\/(?:@[^/]+\/)?)?[^/]+$/, '')) {
    const key = `${at}${at && '/'}node_modules/${name}`
    if (key in lock.packages) return key
    if (at === '') return undefined
  }
}

/** A package of the lockfile. A workspace is a link there, resolved to its own entry. */
export function entryOf(lock, key) {
  const entry = lock.packages[key]
  return entry?.link ? lock.packages[entry.resolved] : entry
}

/** The name of a package, which differs from its folder if it is installed under an alias. */
export function nameOf(lock, key) {
  return entryOf(lock, key).name ?? key.slice(key.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/** The package.json of an installed package. */
export function manifestOf(root, key) {
  return JSON.parse(readFileSync(join(root, key, 'package.json'), 'utf8'))
}
