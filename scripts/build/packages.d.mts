/** What is read of package-lock.json. The keys are folders; '' is the root. */
export interface Lock {
  packages: Record<string, LockedPackage>
}

export interface LockedPackage {
  name?: string
  version?: string
  /** A workspace is linked into node_modules, and described where it lies. */
  link?: boolean
  resolved?: string
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

export const TESTS: string
export const CONSOLE: string
export const SCRIPTS: string
export function installedPackages(lock: Lock): string[]
export function developmentPackages(lock: Lock, workspaces: string[]): string[]
export function located(lock: Lock, from: string, name: string): string | undefined
