"""The fixture of every scenario: ocean.py pointed at the service, and people with keys."""
from eth_account import Account
from ocean_lib.example_config import get_config_dict
from ocean_lib.ocean.ocean import Ocean
from ocean_lib.ocean.util import to_wei

_current = None


class Setting:
    def __init__(self, facts):
        # reads the contract addresses from ADDRESS_FILE
        config = get_config_dict(facts["rpcUrl"])
        config["PROVIDER_URL"] = facts["providerUrl"]
        config["METADATA_CACHE_URI"] = facts["providerUrl"]
        self.url = facts["providerUrl"]
        self.ocean = Ocean(config)
        self.web3 = config["web3_instance"]
        self._treasurer = Account.from_key(facts["treasurer"])

    def somebody(self, tokens=0):
        """A new account, with ether and the same amount of OCEAN."""
        account = Account.create()
        self.web3.provider.make_request("anvil_setBalance", [account.address, hex(to_wei(100))])
        if tokens:
            self.ocean.OCEAN_token.transfer(account.address, to_wei(tokens), {"from": self._treasurer})
        return account


def connect(facts):
    global _current
    _current = Setting(facts)


def current():
    return _current


def described(name, **more):
    """Metadata of an asset."""
    day = "2026-03-01T09:30:00Z"
    own = {"name": name, "description": f"{name}, hour by hour", "type": "dataset", "author": "Harbour office"}
    return {"created": day, "updated": day, "license": "CC0: PublicDomain", **own, **more}
