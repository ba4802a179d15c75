/** A node answered from an older moment than the answer must be of. It works, and is asked again. */
export class BehindError extends Error {
  override readonly name = 'BehindError'
  constructor() {
    super('The node answered from an older block than it has shown.')
  }
}
