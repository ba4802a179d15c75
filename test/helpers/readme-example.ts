import { rm, writeFile } from 'node:fs/promises'
import { page, REPOSITORY } from './pages.js'

/**
 * Runs the first `ts` block in the README.md of a package, and returns its exports. The block is a module of the package's tests
 * while it runs, so it imports packages by name. `packageName`: name of the folder in packages/.
 * @throws Error if there is no such block, and whatever the example throws
 * @example const { text } = await runReadmeExample('storage')
 */
export async function runReadmeExample(packageName: string): Promise<Record<string, unknown>> {
  const example = page(`packages/${packageName}/README.md`).blocks.find(({ language }) => language === 'ts')
  if (!example) throw new Error(`packages/${packageName}/README.md has no ts block.`)
  // ignored by Git, and by the compiler because of the dot
  const path = `${REPOSITORY}packages/${packageName}/test/.readme-example-${process.pid}.ts`
  await writeFile(path, example.text)
  try {
    return await import(path)
  } finally {
    await rm(path)
  }
}
