import { run } from './repository.js'

/**
 * The integrity (`sha512-…`) of a version that the registry has; undefined if it has none. Throws if the registry cannot be
 * asked. `folder` is where npm runs.
 */
export function publishedIntegrity(folder: string, name: string, version: string): string | undefined {
  try {
    return JSON.parse(run(folder, 'npm', ['view', `${name}@${version}`, 'dist.integrity', '--json', '--prefer-online']))
  } catch (error) {
    if (/^npm error code E404$/m.test((error as Error).message)) return undefined
    throw error
  }
}
