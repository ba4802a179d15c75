import { createContext } from '@tidegate/client'
import { uploadFile } from '@tidegate/client/node'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

// An upload in its own process, which tests may kill. The environment holds its options; its result goes to standard output.
const { url, rpcUrl, key, path, resume } = JSON.parse(process.env.UPLOAD as string)
const wallet = createWalletClient({ account: privateKeyToAccount(key), transport: http(rpcUrl) })
process.stdout.write(JSON.stringify(await uploadFile(createContext({ url, wallet }), path, { resume })))
