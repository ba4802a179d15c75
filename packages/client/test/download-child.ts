import { createContext } from '@tidegate/client'
import { downloadToFile } from '@tidegate/client/node'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

// Downloads in a process of its own, which may be killed: what to is in the environment, what became of it goes to standard output.
const { url, rpcUrl, key, did, order, target } = JSON.parse(process.env.DOWNLOAD as string)
const wallet = createWalletClient({ account: privateKeyToAccount(key), transport: http(rpcUrl) })
try {
  const saved = await downloadToFile(createContext({ url, wallet }), did, target, { order })
  process.stdout.write(JSON.stringify(saved))
} catch (error) {
  process.stdout.write(JSON.stringify({ code: (error as { code?: string }).code, message: (error as Error).message }))
}
