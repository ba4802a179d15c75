const rules = new Intl.PluralRules('en')
const number = new Intl.NumberFormat('en')

/** Returns a number with its plural form: "1 file", "1,204 files". */
export function plural(count: number, forms: { one: string; other: string }): string {
  return `${number.format(count)} ${forms[rules.select(count) === 'one' ? 'one' : 'other']}`
}
