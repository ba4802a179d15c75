// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Emits events of data NFTs and datatokens without being one, as many and as large as requested.
contract Crowd {
    event MetadataState(address indexed updatedBy, uint8 state, uint256 timestamp, uint256 blockNumber);
    event MetadataUpdated(
        address indexed updatedBy,
        uint8 state,
        string decryptorUrl,
        bytes flags,
        bytes data,
        bytes32 metaDataHash,
        uint256 timestamp,
        uint256 blockNumber
    );

    function states(uint256 count) external {
        for (uint256 i = 0; i < count; i++) emit MetadataState(msg.sender, 3, block.timestamp, block.number);
    }

    function large(uint256 size) external {
        emit MetadataUpdated(msg.sender, 0, '', '', new bytes(size), bytes32(0), block.timestamp, block.number);
    }

    /// From as many emitters as events.
    function many(uint256 count) external {
        for (uint256 i = 0; i < count; i++) new One();
    }
}

contract One {
    event MetadataState(address indexed updatedBy, uint8 state, uint256 timestamp, uint256 blockNumber);

    constructor() {
        emit MetadataState(msg.sender, 3, block.timestamp, block.number);
    }
}
