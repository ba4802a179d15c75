/** Hexadecimal digits of 32 bytes: keys, nonces of authorizations, halves of signatures. */
const WORD = 64

/** Texts that no line of a log may contain: 32 bytes each, also within the data of a call, or tokens of links. */
export class Secrets {
  private readonly words = new Set<string>()

  /** Adds all parts of a text of hexadecimal digits, or a token as a whole. */
  add(text: string): void {
    const digits = text.replace(/^0x/, '').toLowerCase()
    if (!/^[0-9a-f]+$/.test(digits)) return void this.words.add(text)
    for (let at = 0; at + WORD <= digits.length; at += WORD) this.words.add(digits.slice(at, at + WORD))
  }

  areIn(line: string): boolean {
    const tokens = line.match(/[\w+/=.-]{32,}/g) ?? []
    return tokens.some((token) => this.words.has(token)) || this.hasWord(line)
  }

  private hasWord(line: string): boolean {
    const runs = line.toLowerCase().match(/[0-9a-f]{64,}/g) ?? []
    return runs.some((run) => {
      for (let at = 0; at + WORD <= run.length; at++) if (this.words.has(run.slice(at, at + WORD))) return true
      return false
    })
  }
}
