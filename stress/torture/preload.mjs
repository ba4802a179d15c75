// Loaded before the service: it queries the name server of the torture world instead of the system's, and collects garbage
// on a signal, so that what is measured afterwards is what the service keeps.
import dns from 'node:dns'
import v8 from 'node:v8'
import vm from 'node:vm'

v8.setFlagsFromString('--expose-gc')
const collect = vm.runInNewContext('gc')
process.on('SIGUSR2', () => collect())

const server = process.env.TORTURE_NAME_SERVER
const { Resolver } = dns.promises
dns.promises.Resolver = class extends Resolver {
  constructor(options) {
    super(options)
    this.setServers([server])
  }
}
