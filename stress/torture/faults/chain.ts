import { eventually } from '../../../test/helpers/eventually.js'
import type { Fault } from './fault.js'

const REVOKED = 3

/** Faults of the chain itself. */
export const CHAIN_FAULTS: Fault[] = [
  {
    name: 'reorganisation',
    about:
      'An asset is revoked, every instance refuses it, and then the blocks with the revocation are reorganised away.',
    kind: 'chain',
    async inject({ world, consumers, random }) {
      const victim = world.file('victim')
      const [buyer] = world.buyers
      if (!buyer) throw new Error('There is no buyer.')
      const before = await world.world.provider.getBlockNumber()
      await world.setState(victim.asset, REVOKED)
      await world.world.rpc('anvil_mine', [`0x${random.below(10).toString(16)}`])
      for (const deployment of world.deployments)
        for (const seat of deployment.seats.filter(({ up }) => up))
          await eventually(
            async () => (await consumers.requests.probe(seat, deployment, victim, buyer)) === 'refused',
            20_000,
            100,
          ).catch(() => world.ledger.addFinding(`a revoked asset is not refused by ${seat.name} within 20 s`))
      const depth = (await world.world.provider.getBlockNumber()) - before
      await world.world.reorganise(depth)
      await world.world.rpc('anvil_mine', ['0x1'])
      return () => undefined
    },
  },
  {
    name: 'many blocks',
    about: 'Five hundred blocks are mined at once, with changes of state among them.',
    kind: 'chain',
    spares: true,
    async inject({ world }) {
      const { asset } = world.file('victim')
      for (const state of [5, 0]) {
        await world.setState(asset, state)
        await world.world.rpc('anvil_mine', ['0xfa'])
      }
      return () => undefined
    },
  },
]
