import { ask } from '../../../../test/helpers/requests.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { World } from '../../../../test/helpers/world.js'

/** Starts a service with CATALOGUE=public, with two assets of a verified publisher. */
export async function publicCatalogue(settings: Record<string, string> = {}) {
  const office = newWallet()
  const world = await World.start({
    CATALOGUE: 'public',
    VERIFIED_PUBLISHERS: `${office.address}=Harbour Office of Brest`,
    ...settings,
  })
  const publisher = await world.somebody(office)

  function publish(name: string, options: { pricing: 'free' | { fixed: string } }) {
    const url = world.storage.file(`/${name}.csv`, Buffer.from('a,b'))
    return world.publish({
      ...options,
      publisher,
      files: [{ type: 'url', url, method: 'GET', name: '2026/tides.csv' }],
      adjust: ({ metadata }) =>
        Object.assign(metadata, { name, license: 'CC-BY-4.0', author: 'Harbour office', tags: ['sea'] }),
    })
  }
  const page = (path: string, headers: Record<string, string> = {}) =>
    ask(`${world.network.providerUrl}${path}`, { headers })

  const tides = await publish('Tide tables', { pricing: { fixed: '5' } })
  const winds = await publish('Winds', { pricing: 'free' })
  return { world, publisher, tides, winds, publish, page }
}
