/**
 * Replaces the newest blocks of a local chain by empty ones. The chain goes on from the time of the block before them, which
 * may be as old as the snapshot that the chain began from; so its clock is set again: to a service, blocks that all arrive old
 * prove that its own is fast.
 */
export async function reorganise(
  rpc: (method: string, params: unknown[]) => Promise<unknown>,
  depth: number,
): Promise<void> {
  await rpc('anvil_reorg', [depth, []])
  await rpc('evm_setTime', [Math.floor(Date.now() / 1000)])
}
