import { jsonText, safeLines, shown } from './text.js'

/** What a command says. The result goes to standard output, all else to standard error. */
export class Output {
  constructor(readonly isJson: boolean) {}

  /** Lines of the result for people; with --json they are left out. */
  print(...lines: string[]): void {
    if (!this.isJson) process.stdout.write(safeLines(`${lines.join('\n')}\n`))
  }

  /** The result for programs, where --json asks for it. */
  result(value: object): void {
    if (this.isJson) process.stdout.write(`${jsonText(value)}\n`)
  }

  /** A step that the client library tells of, such as "to order". */
  readonly step = (step: string): void => this.note(`${shown(step.replace(/^to /, ''))} …`)

  /** Progress, for people. */
  note(...lines: string[]): void {
    process.stderr.write(safeLines(`${lines.join('\n')}\n`))
  }
}
