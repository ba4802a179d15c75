import { availableParallelism } from 'node:os'
import type { Chain, Chains } from '@tidegate/chain'
import type { ProviderKey } from '@tidegate/protocol/keys'
import type { Auth } from '../auth/auth.js'
import { Links } from '../auth/links.js'
import { CutOver } from '../auth/nonces/cut-over.js'
import { providerIdentity } from '../auth/provider-identity.js'
import { SignerRecovery } from '../auth/recovery.js'
import { SignatureMatcher } from '../auth/signature.js'
import { Tokens, tokenSecret } from '../auth/tokens.js'
import type { Settings } from '../config/schema.js'
import type { Base } from './base.js'

/** Builds authentication. The caller must close `signers`. */
export function openAuth(
  settings: Settings,
  { store, batch, chains }: Pick<Base, 'store' | 'batch' | 'chains'>,
): { auth: Auth; signers: SignerRecovery } {
  const { nonces, cutOver, revocations } = store
  const signers = new SignerRecovery({
    thread: availableParallelism() > settings.WORKERS,
    isSingle: () => batch.isSingle,
  })
  const key = firstKey(chains)
  const secret = tokenSecret(settings.AUTH_TOKEN_SECRET, key)
  const auth = {
    identity: providerIdentity(key),
    signatures: new SignatureMatcher(signers),
    nonces,
    cutOver: new CutOver(cutOver),
    tokens: new Tokens(secret, revocations, settings.LEGACY_TOKEN_SECRET),
    links: new Links(secret, revocations),
  }
  return { auth, signers }
}

/** Returns the key of the lowest chain id, so that every instance has the same secret. */
function firstKey(chains: Chains): ProviderKey {
  const lowest = [...chains.values()].sort((a, b) => a.chainId - b.chainId)[0]
  return (lowest as Chain).key
}
