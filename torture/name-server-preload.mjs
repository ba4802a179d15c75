// Loaded before the service: it asks the name server of the torture world in place of the system's.
import dns from 'node:dns'

const server = process.env.TORTURE_NAME_SERVER
const { Resolver } = dns.promises
dns.promises.Resolver = class extends Resolver {
  constructor(options) {
    super(options)
    this.setServers([server])
  }
}
