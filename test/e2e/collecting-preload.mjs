// for a process with --expose-gc: collects garbage again and again, as hours of load do
setInterval(() => globalThis.gc(), 100).unref()
