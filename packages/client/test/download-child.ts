import { createContext } from '@tidegate/client'
import { downloadToFile } from '@tidegate/client/node'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

// A download in its own process, which tests may kill. The environment holds its options; its result goes to standard output.
const { url, rpcUrl, key, did, order, target } = JSON.parse(process.env.DOWNLOAD as string)
const wallet = createWalletClient({ account: privateKeyToAccount(key), transport: http(rpcUrl) })
try {
  const saved = await downloadToFile(createContext({ url, wallet }), did, target, { order })
  process.stdout.write(JSON.stringify(saved))
} catch (error) {
  process.stdout.write(JSON.stringify({ code: (error as { code?: string }).code, message: (error as Error).message }))
}
