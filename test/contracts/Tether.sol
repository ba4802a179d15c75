// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// A token of the early kind: its calls answer nothing, and an approval is changed over zero alone.
contract Tether {
    string public symbol = 'USDT';
    uint8 public decimals = 6;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(address holder) {
        balanceOf[holder] = 1e15;
    }

    function approve(address spender, uint256 amount) external {
        require(amount == 0 || allowance[msg.sender][spender] == 0, 'over zero alone');
        allowance[msg.sender][spender] = amount;
    }

    function transfer(address to, uint256 amount) external {
        move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external {
        allowance[from][msg.sender] -= amount;
        move(from, to, amount);
    }

    function move(address from, address to, uint256 amount) private {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
    }
}
