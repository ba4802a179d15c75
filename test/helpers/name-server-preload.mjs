// for a service in a process of its own: its names are asked of a server of the test, not of this machine's
import { promises as dns } from 'node:dns'

const { Resolver } = dns
dns.Resolver = class extends Resolver {
  constructor(options) {
    super(options)
    this.setServers([process.env.TEST_NAME_SERVER])
  }
}
