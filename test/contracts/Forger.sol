// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

interface IDatatoken {
    struct ProviderFee {
        address providerFeeAddress;
        address providerFeeToken;
        uint256 providerFeeAmount;
        uint8 v;
        bytes32 r;
        bytes32 s;
        uint256 validUntil;
        bytes providerData;
    }

    function reuseOrder(bytes32 orderTxId, ProviderFee calldata fee) external;
}

/// Emits the events of orders without any order, in any requested sequence.
contract Forger {
    event OrderStarted(
        address indexed consumer,
        address payer,
        uint256 amount,
        uint256 serviceIndex,
        uint256 timestamp,
        address indexed publishMarketAddress,
        uint256 blockNumber
    );
    event OrderReused(bytes32 orderTxId, address caller, uint256 timestamp, uint256 number);
    event ProviderFee(
        address indexed providerFeeAddress,
        address indexed providerFeeToken,
        uint256 providerFeeAmount,
        bytes providerData,
        uint8 v,
        bytes32 r,
        bytes32 s,
        uint256 validUntil
    );

    function order(
        address consumer,
        address payer,
        uint256 amount,
        uint256 serviceIndex,
        IDatatoken.ProviderFee calldata fee,
        bool feeFirst
    ) external {
        if (feeFirst) emitFee(fee);
        emit OrderStarted(consumer, payer, amount, serviceIndex, block.timestamp, address(0), block.number);
        if (!feeFirst) emitFee(fee);
    }

    /// Reuses an order at the real datatoken, between forged events.
    function sandwich(
        address datatoken,
        bytes32 orderTxId,
        address consumer,
        IDatatoken.ProviderFee calldata fee
    ) external {
        emit OrderStarted(consumer, consumer, 1 ether, 0, block.timestamp, address(0), block.number);
        IDatatoken(datatoken).reuseOrder(orderTxId, fee);
        emitFee(fee);
    }

    function emitFee(IDatatoken.ProviderFee calldata fee) internal {
        emit ProviderFee(
            fee.providerFeeAddress,
            fee.providerFeeToken,
            fee.providerFeeAmount,
            fee.providerData,
            fee.v,
            fee.r,
            fee.s,
            fee.validUntil
        );
    }
}
