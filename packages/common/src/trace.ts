/** Runs work in a span. Attributes never contain a location, a DID, an address or a key. */
export type Trace = <T>(name: string, attributes: Record<string, string | number>, work: () => Promise<T>) => Promise<T>

/** Runs work without a span. */
export const untraced: Trace = (_name, _attributes, work) => work()
