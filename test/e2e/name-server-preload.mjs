// for a service in a process of its own: resolves names with the test's name server instead of this machine's
import { promises as dns } from 'node:dns'

const { Resolver } = dns
dns.Resolver = class extends Resolver {
  constructor(options) {
    super(options)
    this.setServers([process.env.TEST_NAME_SERVER])
  }
}
