/** Parsers of settings. Each takes the raw text, and throws an Error that names the expected form without quoting the text. */
export * from './basic.js'
export * from './chains.js'
export * from './network.js'
export * from './publishers.js'
