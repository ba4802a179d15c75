// A module of a sandbox that cannot be started.
throw new Error('hunter2')
