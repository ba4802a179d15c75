// A sandbox module that fails to load.
throw new Error('hunter2')
