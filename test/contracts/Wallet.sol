// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// A contract wallet of one owner (EIP-1271), with the ways in which such a wallet can misbehave.
contract Wallet {
    enum Mood {
        Honest,
        SaysYes,
        SaysOne,
        SaysTooMuch,
        Reverts,
        BurnsGas,
        TrustsEstimates,
        TrustsSimulations,
        SaysMegabyte
    }

    address public immutable owner;
    Mood public mood;

    constructor(address owner_) {
        owner = owner_;
    }

    function become(Mood mood_) external {
        mood = mood_;
    }

    /// Makes a call with the wallet as its sender.
    function run(address target, bytes calldata data) external {
        (bool ok, bytes memory reason) = target.call(data);
        if (!ok) {
            assembly {
                revert(add(reason, 32), mload(reason))
            }
        }
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (mood == Mood.SaysYes) return 0x1626ba7e;
        if (mood == Mood.TrustsEstimates && tx.origin == address(0)) return 0x1626ba7e;
        if (mood == Mood.TrustsSimulations) return tx.gasprice == 0 ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
        if (mood == Mood.SaysMegabyte) {
            assembly {
                mstore(0, 0x1626ba7e00000000000000000000000000000000000000000000000000000000)
                return(0, 1048576)
            }
        }
        if (mood == Mood.SaysOne) return bytes4(uint32(1));
        if (mood == Mood.Reverts) revert("no");
        if (mood == Mood.SaysTooMuch) {
            assembly {
                mstore(0, 0x1626ba7e00000000000000000000000000000000000000000000000000000001)
                return(0, 32)
            }
        }
        if (mood == Mood.BurnsGas) {
            while (true) {}
        }
        if (signature.length != 65) return 0xffffffff;
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        address signer = ecrecover(digest, uint8(signature[64]), r, s);
        return signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}
