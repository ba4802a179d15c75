// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Makes many calls in one transaction, as their sender.
contract Batch {
    function run(address[] calldata targets, bytes[] calldata calls) external {
        for (uint256 i = 0; i < targets.length; i++) {
            (bool ok, bytes memory reason) = targets[i].call(calls[i]);
            if (!ok) {
                assembly {
                    revert(add(reason, 32), mload(reason))
                }
            }
        }
    }

    /// Lets it own data NFTs.
    function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) {
        return this.onERC721Received.selector;
    }
}
