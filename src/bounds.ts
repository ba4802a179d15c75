/**
 * Every limit on what comes from outside, by topic, with its unit and reason. Whatever a publisher, a contract, a
 * storage or a stranger sends is bounded in size, in count and in time before anything is made of it.
 */
export const BOUNDS = {
  /** The ABI of the one function that a file of kind smartcontract names. */
  abi: {
    /** Inputs, outputs and components in all: the largest functions in use have some fifty. */
    parameters: 256,
    /** Tuples inside of tuples: compilers themselves give up soon after. */
    depth: 8,
    /** Characters of a name: names are repeated for every element of a list in the answer. */
    name: 128,
    /** Dimensions of an array, fixed and open ones together. */
    dimensions: 4,
    /** Elements of one fixed dimension. */
    length: 1024,
    /** Values that the inputs, and the outputs, stand for with one element in every open list: bounds the product of all fixed lengths. */
    values: 4096,
  },
  /** Calls to contracts that anybody may have deployed. */
  contract: {
    /** Gas of a call: below the block limit of every network, and bounds the node's time and memory. */
    gas: 10_000_000,
    /** Bytes of the call data: what userdata of the greatest length can ask for. */
    call: 131_072,
    /** Bytes of an answer that is a file or a token URI (which may hold the data itself), and of what it decodes to. */
    answer: 262_144,
    /** Steps through the values of such an answer and their types: some 16 for each of its words, a microsecond each. */
    steps: 131_072,
    /** Bytes of an answer that is a number, an address, or a list of them. */
    view: 16_384,
    /** Bytes of the answer for a token's symbol: it is shown beside a price. */
    symbol: 1024,
    /** Datatokens of an asset, and offers of a datatoken, that are asked for a price. */
    offers: 16,
    /** Bytes of owners, token URIs and prices that are kept in memory. */
    facts: 33_554_432,
  },
} as const
