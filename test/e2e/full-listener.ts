import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'

const PROGRAM = `require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {
  require('fs').writeSync(1, String(this.address().port))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})`

/** A port with a full backlog, where connecting hangs as behind a firewall that drops packets. Works on Linux only. */
export async function fullListener() {
  const child = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = Number(String((await once(child.stdout, 'data'))[0]))
  const filling: Socket[] = []
  for (let full = false; !full; ) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    full = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(resolve, 500, true)
      socket.once('connect', () => {
        clearTimeout(timer)
        resolve(false)
      })
    })
    if (full) socket.destroy()
    else filling.push(socket)
  }
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')} 02`
  return {
    port,
    /** The number of connection attempts from this machine that are pending. */
    waiting: () => readFileSync('/proc/net/tcp', 'utf8').split(remote).length - 1,
    close() {
      for (const socket of filling) socket.destroy()
      child.kill('SIGKILL')
    },
  }
}
