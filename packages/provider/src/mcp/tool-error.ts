/** An error that a model reads: a code for programs and a sentence. */
export class ToolError extends Error {
  override readonly name = 'ToolError'

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}
