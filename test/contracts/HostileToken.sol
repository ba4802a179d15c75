// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

interface ISigner {
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4);
}

/// A token with EIP-3009 that misbehaves on demand: in any of its functions, in what it tells of itself, or in its transfers.
contract HostileToken {
    enum Fault {
        None,
        Reverts,
        AnswersZero,
        AnswersOne,
        AnswersMegabyte,
        BurnsGas,
        CallsBack
    }

    bytes32 constant TRANSFER_TYPEHASH =
        keccak256(
            'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)'
        );
    bytes32 constant DOMAIN_TYPEHASH =
        keccak256('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)');

    string told = 'Tide';
    string toldVersion = '1';
    uint8 toldDecimals = 6;
    mapping(address => uint256) balances;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => mapping(bytes32 => bool)) used;

    /// By selector of the function.
    mapping(bytes4 => Fault) public faults;
    /// Whether the fault shows in transactions alone, and not while a node simulates them.
    mapping(bytes4 => bool) public isSly;
    /// Percent of a transfer that the token keeps, and whether its event tells the whole amount.
    uint256 public tax;
    bool public hidesTax;
    /// What CallsBack calls.
    address public calledBack;
    bytes public callback;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);

    function misbehave(bytes4 selector, Fault fault, bool isSly_) external {
        (faults[selector], isSly[selector]) = (fault, isSly_);
    }

    function levy(uint256 tax_, bool hidesTax_) external {
        (tax, hidesTax) = (tax_, hidesTax_);
    }

    function callBack(address target, bytes calldata data) external {
        (calledBack, callback) = (target, data);
    }

    /// Changes what the token tells of itself. Its signatures keep the domain of the name `Tide` and version 1.
    function claim(string calldata name_, string calldata version_, uint8 decimals_) external {
        (told, toldVersion, toldDecimals) = (name_, version_, decimals_);
    }

    function mint(address holder, uint256 value) external {
        balances[holder] += value;
        emit Transfer(address(0), holder, value);
    }

    /// Does what the fault of a view or call says, instead of its work.
    modifier faulty() {
        Fault fault = current();
        if (fault == Fault.Reverts) revert('refused');
        if (fault == Fault.BurnsGas) while (true) {}
        if (fault == Fault.AnswersZero || fault == Fault.AnswersOne) {
            uint256 answer = fault == Fault.AnswersOne ? 1 : 0;
            assembly {
                mstore(0, answer)
                return(0, 32)
            }
        }
        if (fault == Fault.AnswersMegabyte) {
            assembly {
                // a string of so many bytes, at its offset
                mstore(0, 32)
                mstore(32, 1048576)
                return(0, 1048640)
            }
        }
        _;
    }

    function current() private view returns (Fault) {
        return isSly[msg.sig] && tx.gasprice == 0 ? Fault.None : faults[msg.sig];
    }

    modifier calling() {
        if (current() == Fault.CallsBack) {
            // once: what it calls may call this function
            faults[msg.sig] = Fault.None;
            (bool ok, ) = calledBack.call(callback);
            require(ok, 'the call back failed');
        }
        _;
    }

    function name() external view faulty returns (string memory) {
        return told;
    }

    function symbol() external view faulty returns (string memory) {
        return told;
    }

    function version() external view faulty returns (string memory) {
        return toldVersion;
    }

    function decimals() external view faulty returns (uint8) {
        return toldDecimals;
    }

    function DOMAIN_SEPARATOR() external view faulty returns (bytes32) {
        return separator();
    }

    function balanceOf(address holder) external view faulty returns (uint256) {
        return balances[holder];
    }

    function authorizationState(address holder, bytes32 nonce) external view faulty returns (bool) {
        return used[holder][nonce];
    }

    function approve(address spender, uint256 value) external faulty calling returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external faulty calling returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external faulty calling returns (bool) {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external faulty calling {
        pay(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) external faulty calling {
        pay(from, to, value, validAfter, validBefore, nonce, signature);
    }

    function pay(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) private {
        require(block.timestamp > validAfter && block.timestamp < validBefore, 'not valid at this time');
        require(!used[from][nonce], 'authorization is used');
        bytes32 content = keccak256(abi.encode(TRANSFER_TYPEHASH, from, to, value, validAfter, validBefore, nonce));
        bytes32 digest = keccak256(abi.encodePacked('\x19\x01', separator(), content));
        require(isSigned(from, digest, signature), 'invalid signature');
        used[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
        move(from, to, value);
    }

    function isSigned(address signer, bytes32 digest, bytes memory signature) private view returns (bool) {
        if (signer.code.length > 0)
            return ISigner(signer).isValidSignature(digest, signature) == ISigner.isValidSignature.selector;
        (bytes32 r, bytes32 s) = abi.decode(signature, (bytes32, bytes32));
        return ecrecover(digest, uint8(signature[64]), r, s) == signer;
    }

    function separator() private view returns (bytes32) {
        return keccak256(abi.encode(DOMAIN_TYPEHASH, keccak256('Tide'), keccak256('1'), block.chainid, address(this)));
    }

    function move(address from, address to, uint256 value) private {
        uint256 arriving = value - (value * tax) / 100;
        balances[from] -= value;
        balances[to] += arriving;
        emit Transfer(from, to, hidesTax ? value : arriving);
    }
}
