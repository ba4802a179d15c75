/** The part of the HTTP server's logger that the rest of the service uses: fields first, then a fixed sentence. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
