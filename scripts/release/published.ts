import { run } from './repository.js'

/**
 * Returns the integrity (`sha512-…`) of a published version; undefined if it is not published. Throws if the registry
 * does not answer. `folder`: working folder of npm.
 */
export function publishedIntegrity(folder: string, name: string, version: string): string | undefined {
  try {
    return JSON.parse(run(folder, 'npm', ['view', `${name}@${version}`, 'dist.integrity', '--json', '--prefer-online']))
  } catch (error) {
    if (/^npm error code E404$/m.test((error as Error).message)) return undefined
    throw error
  }
}
