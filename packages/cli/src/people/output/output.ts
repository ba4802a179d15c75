import { note, print, printJson } from '@tidegate/common/terminal'
import { shown } from './text.js'

/** The output of a command. The result goes to standard output, everything else to standard error. */
export class Output {
  constructor(readonly isJson: boolean) {}

  /** Prints lines of the result for people, unless --json is set. */
  print(...lines: string[]): void {
    if (!this.isJson) print(...lines)
  }

  /** Prints the result for programs if --json is set. */
  result(value: object): void {
    if (this.isJson) printJson(value)
  }

  /** Reports a step of the client library, such as "to order". */
  readonly step = (step: string): void => this.note(`${shown(step.replace(/^to /, ''))} …`)

  /** Reports progress to people. */
  note(...lines: string[]): void {
    note(...lines)
  }
}
