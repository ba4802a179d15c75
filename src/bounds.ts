/** Every limit on what comes from outside that is no setting, each with its unit and its reason. */
export const BOUNDS = {
  /** Names of storages: whoever publishes a file chooses the name, and often runs its name servers too. */
  dns: {
    /** Milliseconds for one look-up in all, whatever its name servers do: half of the usual time to connect. */
    deadline: 5_000,
    /** Milliseconds before a question is sent again, or to the next name server of the system: packets do get lost. */
    attempt: 1_000,
    /** How often each name server of the system is asked, with growing pauses: until the deadline. */
    tries: 3,
    /** Milliseconds to wait for IPv6 once IPv4 is there, and the other way round: longer than one lost packet costs. */
    otherFamily: 1_500,
    /** Look-ups in flight below one domain: more than an honest burst, few of those in all. */
    perDomain: 16,
    /** Look-ups in flight in all; each holds a socket. */
    inFlight: 256,
    /** Addresses used of each family: no client tries more, and an answer of 64 KiB holds thousands. */
    addresses: 8,
    /** Names whose answers are remembered, found or not. */
    remembered: 2_000,
    /** Milliseconds that addresses are remembered at most, however long their time to live. */
    success: 30_000,
    /** Milliseconds that a failure is remembered: repeating it is cheap, and a name that was mended soon works. */
    failure: 5_000,
    /** Characters of a name and of one label (RFC 1035). */
    name: 253,
    label: 63,
    /** Bytes read of the hosts file; what lies behind is ignored. */
    hostsFile: 1_048_576,
    /** Milliseconds after which the hosts file is looked at again. */
    hostsFileAge: 5_000,
  },
  /** Addresses that files are never fetched from. */
  destinations: {
    /** Milliseconds after which the machine's own addresses are read again: interfaces come and go. */
    ownAddressesAge: 5_000,
  },
} as const
