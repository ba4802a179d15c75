import { createContext } from '@tidegate/client'
import { uploadFile } from '@tidegate/client/node'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

// Uploads in a process of its own, which may be killed: what, is in the environment, and what became of it goes to standard output.
const { url, rpcUrl, key, path, resume } = JSON.parse(process.env.UPLOAD as string)
const wallet = createWalletClient({ account: privateKeyToAccount(key), transport: http(rpcUrl) })
process.stdout.write(JSON.stringify(await uploadFile(createContext({ url, wallet }), path, { resume })))
