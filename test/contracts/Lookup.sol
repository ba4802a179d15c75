// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Answers every call by telling the caller to fetch URLs of this machine (EIP-3668).
contract Lookup {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);

    uint256 private immutable port;

    constructor(uint256 port_) {
        port = port_;
    }

    fallback() external {
        string[] memory urls = new string[](2);
        urls[0] = string.concat("http://127.0.0.1:", decimal(port), "/{sender}/{data}.json");
        urls[1] = string.concat("http://127.0.0.1:", decimal(port), "/inside");
        revert OffchainLookup(address(this), urls, msg.data, bytes4(0x12345678), msg.data);
    }

    function decimal(uint256 value) private pure returns (string memory) {
        bytes memory digits = new bytes(5);
        for (uint256 at = 5; at > 0; at--) {
            digits[at - 1] = bytes1(uint8(48 + (value % 10)));
            value /= 10;
        }
        return string(digits);
    }
}
