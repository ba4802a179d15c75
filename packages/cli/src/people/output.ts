import { jsonText, safeLines, shown } from './text.js'

/** The output of a command. The result goes to standard output, everything else to standard error. */
export class Output {
  constructor(readonly isJson: boolean) {}

  /** Prints lines of the result for people, unless --json is set. */
  print(...lines: string[]): void {
    if (!this.isJson) process.stdout.write(safeLines(`${lines.join('\n')}\n`))
  }

  /** Prints the result for programs if --json is set. */
  result(value: object): void {
    if (this.isJson) process.stdout.write(`${jsonText(value)}\n`)
  }

  /** Reports a step of the client library, such as "to order". */
  readonly step = (step: string): void => this.note(`${shown(step.replace(/^to /, ''))} …`)

  /** Reports progress to people. */
  note(...lines: string[]): void {
    process.stderr.write(safeLines(`${lines.join('\n')}\n`))
  }
}
