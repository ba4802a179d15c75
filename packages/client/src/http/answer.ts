/** The parts of a Response that this library reads. */
export interface Answer extends Pick<Response, 'status' | 'ok' | 'headers'> {
  readonly type?: string
  readonly body: {
    getReader(): AnswerReader
    cancel(): Promise<void>
  } | null
}

/** Reads a body piece by piece. `read` rejects if the body ends early. */
export interface AnswerReader {
  read(): Promise<{ done: boolean; value?: Uint8Array<ArrayBuffer> | undefined }>
  cancel(): Promise<void>
}
