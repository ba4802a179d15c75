"""What ocean.py requests apart from publishing and buying: file information, searches, encryption."""
from ecies import decrypt
from ocean_lib.data_provider.base import DataServiceProviderBase
from ocean_lib.data_provider.data_encryptor import DataEncryptor
from ocean_lib.data_provider.data_service_provider import DataServiceProvider
from ocean_lib.data_provider.fileinfo_provider import FileInfoProvider
from ocean_lib.models.datatoken_base import DatatokenArguments
from ocean_lib.ocean.util import get_address_of_type, to_wei
from ocean_lib.structures.file_objects import GraphqlQuery
from publishing import publish
from setting import described


def provider(setting):
    return {
        "valid": DataServiceProviderBase.is_valid_provider(setting.url),
        "root": DataServiceProviderBase.get_root_uri(f"{setting.url}/api/services/download"),
        "address": DataServiceProviderBase.get_provider_address(setting.url, 8996),
        "environments": DataServiceProviderBase.get_c2d_environments(setting.url, 8996),
    }


def encrypted(setting, key):
    """Text and bytes encrypted by the service, and decrypted with its key by the library that the legacy service used."""
    outcomes = []
    for sent in ("höhe", {"tide": 1}, b"\x00\xff"):
        response = DataEncryptor.encrypt(sent, setting.url, 8996)
        clear = decrypt(key, bytes.fromhex(response.text[2:])).hex()
        outcomes.append([response.status_code, response.headers["Content-Type"], clear])
    return outcomes


def files(setting, urls, single):
    """Information about the files of an asset, with checksums, and whether a single URL is reachable."""
    _, _, ddo = publish(setting, setting.somebody(), urls)
    service = ddo.services[0]
    check = DataServiceProvider.check_single_file_info
    return {
        "plain": FileInfoProvider.fileinfo(ddo.did, service).json(),
        "checked": FileInfoProvider.fileinfo(ddo.did, service, with_checksum=True).json(),
        "valid": DataServiceProvider.check_asset_file_info(ddo.did, service.id, setting.url),
        "unknown": DataServiceProvider.check_asset_file_info(ddo.did, "nothing", setting.url),
        "single": [check({"type": "url", "url": url}, setting.url) for url in single],
    }


def trusted_algorithm(setting, url, data):
    """An algorithm, and a compute dataset that trusts it: the checksum of its file is requested with 1."""
    publisher = setting.somebody()
    assets = setting.ocean.assets
    _, _, algorithm = assets.create_algo_asset("Harmonic analysis", url, {"from": publisher})
    _, _, ddo = assets.create_url_asset("Tides", data, {"from": publisher}, with_compute=True)
    compute = ddo.get_service_by_id("1")
    compute.add_publisher_trusted_algorithm(algorithm)
    again = assets.update(ddo, {"from": publisher})
    return again.get_service_by_id("1").as_dictionary()


def search(setting, url):
    """Searches by words, words in one field, an identifier with colons and a list of tags, and one without a match."""
    metadata = described("Seiche Loch Broom", tags=["standing wave", "loch"])
    _, _, ddo = publish(setting, setting.somebody(), [url], metadata=metadata)
    assets = setting.ocean.assets

    def by(text, *fields):
        return {"query": {"query_string": {"query": text, **({"fields": fields} if fields else {})}}}

    term = {"term": {"metadata.tags.keyword": "standing wave"}}
    nested = {"bool": {"filter": [term, {"term": {"chainId": 8996}}], "must_not": [{"term": {"nft.state": 3}}]}}
    searches = {
        "word": assets.search("Seiche"),
        "did": assets.search(ddo.did),
        "nobody": assets.search("Gorilla"),
        "field": assets.query(by("Seiche", "metadata.name")),
        "other field": assets.query(by("Seiche", "metadata.author")),
        "filters": assets.query({"query": nested}),
    }
    try:
        assets.query({"query": {"more_like_this": {"like": "Seiche"}}})
    except ValueError as error:
        refusal = str(error)
    return {
        "did": ddo.did,
        "found": {name: [one.did for one in found] for name, found in searches.items()},
        "same": assets.search("Seiche")[0].as_dictionary() == assets.resolve(ddo.did).as_dictionary(),
        "refusal": refusal,
    }


def other_kinds(setting, url, folder):
    """A query and a contract call as files; the query takes a value from the consumer."""
    publisher, consumer = setting.somebody(), setting.somebody()
    assets = setting.ocean.assets
    parameter = {"name": "station", "type": "text", "label": "Station", "required": True}
    parameter.update(description="Where the tide is measured", default="none")
    query = GraphqlQuery(url, "query ($station: String!) { heights(station: $station) }")
    arguments = DatatokenArguments(files=[query], consumer_parameters=[parameter])
    _, (heights,), asked = assets.create(described("Heights"), {"from": publisher}, datatoken_args=[arguments])
    abi = {"name": "getOPCFee", "type": "function", "stateMutability": "view"}
    abi["inputs"] = [{"name": "baseToken", "type": "address", "internalType": "address"}]
    abi["outputs"] = [{"name": "", "type": "uint256", "internalType": "uint256"}]
    router = get_address_of_type(setting.ocean.config, "Router")
    _, fee, called = assets.create_onchain_asset("Fee", router, abi, {"from": publisher})
    paths = []
    for datatoken, ddo, userdata in (
        (heights, asked, {"station": "Ullapool"}),
        (fee, called, {"baseToken": setting.ocean.OCEAN_address}),
    ):
        datatoken.mint(consumer.address, to_wei(1), {"from": publisher})
        order = assets.pay_for_access_service(ddo, {"from": consumer}, userdata=userdata)
        paths.append(assets.download_asset(ddo, consumer, folder, order.hex(), userdata=userdata))
    return paths
