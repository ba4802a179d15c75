// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "Wallet.sol";

/// Deploys wallets at addresses that are known before (CREATE2), and the ways in which such a factory can misbehave.
contract Factory {
    /// Reverts if the wallet is deployed already.
    function deploy(address owner, bytes32 salt) external returns (Wallet) {
        return new Wallet{salt: salt}(owner);
    }

    function burn() external pure {
        while (true) {}
    }

    function flood() external pure {
        assembly {
            return(0, 1000000)
        }
    }
}
