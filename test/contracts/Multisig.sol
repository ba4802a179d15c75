// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// A wallet of several owners, all of whom must sign (EIP-1271). As with a Safe, they sign a hash of its address and
/// the chain, and their 65-byte signatures are concatenated in ascending order of the owners' addresses.
contract Multisig {
    bytes32 private constant DOMAIN = keccak256("EIP712Domain(uint256 chainId,address verifyingContract)");
    bytes32 private constant MESSAGE = keccak256("SafeMessage(bytes message)");

    address[] public owners;

    constructor(address[] memory owners_) {
        owners = owners_;
    }

    /// What the owners sign for a digest.
    function signedHash(bytes32 digest) public view returns (bytes32) {
        bytes32 domain = keccak256(abi.encode(DOMAIN, block.chainid, address(this)));
        bytes32 message = keccak256(abi.encode(MESSAGE, keccak256(abi.encode(digest))));
        return keccak256(abi.encodePacked(bytes2(0x1901), domain, message));
    }

    function isValidSignature(bytes32 digest, bytes calldata signatures) external view returns (bytes4) {
        require(signatures.length == 65 * owners.length, "one signature of each owner");
        bytes32 hash = signedHash(digest);
        for (uint256 at = 0; at < owners.length; at++) {
            bytes calldata signature = signatures[at * 65:at * 65 + 65];
            bytes32 r = bytes32(signature[0:32]);
            bytes32 s = bytes32(signature[32:64]);
            require(ecrecover(hash, uint8(signature[64]), r, s) == owners[at], "not this owner");
        }
        return 0x1626ba7e;
    }
}
