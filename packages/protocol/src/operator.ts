/** The operator of a provider. All of it is public; fields without a setting are absent. */
export interface Operator {
  name?: string
  url?: string
  /** An e-mail address, or an http(s) URL. */
  contact?: string
  imprint?: string
  privacy?: string
  terms?: string
}
