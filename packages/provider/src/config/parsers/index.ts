/** The parsers of settings: each takes the raw text, and throws an Error that says what it must be and never quotes it. */
export * from './basic.js'
export * from './chains.js'
export * from './network.js'
