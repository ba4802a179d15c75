// for a process with --expose-gc: collects garbage again and again, as hours of load do. Several times before any deadline, which
// are seconds; more often, it takes half of the processor
setInterval(() => globalThis.gc(), 500).unref()
