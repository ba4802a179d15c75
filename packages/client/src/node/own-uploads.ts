import type { Context } from '../context.js'
import { LIMITS } from '../limits.js'
import { type UsedFile, uploadCalls } from '../upload/upload-calls.js'

export type { UsedFile }

/**
 * Lists the complete private files of the account that the provider hosts, a page at a time, with the assets that use them: a file
 * that is published again need not be uploaded again. Throws TidegateError, or the reason of an aborted signal.
 *
 * @example
 * for await (const { object, sha256, assets } of ownUploads(tidegate.context)) console.log(sha256, assets)
 */
export async function* ownUploads(
  context: Context,
  { signal = new AbortController().signal }: { signal?: AbortSignal } = {},
): AsyncGenerator<UsedFile> {
  const calls = uploadCalls(context, signal)
  let after: string | undefined = ''
  for (let pages = 0; after !== undefined && pages < LIMITS.uploadPages; pages++) {
    const page: Awaited<ReturnType<typeof calls.page>> = await calls.page(after)
    yield* page.files
    after = page.next
  }
}
