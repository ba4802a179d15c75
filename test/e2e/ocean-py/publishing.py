"""Assets as publishers create, update and revoke them."""
import time

from ocean_lib.aquarius.aquarius import Aquarius
from ocean_lib.assets.ddo import DDO
from ocean_lib.exceptions import AquariusError
from ocean_lib.models.datatoken_base import DatatokenArguments
from ocean_lib.services.service import Service
from ocean_lib.structures.file_objects import UrlFile
from setting import described


def publish(setting, publisher, files, name="Tides", **options):
    """An asset with these URLs as its files."""
    arguments = DatatokenArguments(files=[UrlFile(url) for url in files])
    metadata = options.pop("metadata", None) or described(name)
    return setting.ocean.assets.create(metadata, {"from": publisher}, datatoken_args=[arguments], **options)


def one_file(setting, url):
    publisher = setting.somebody()
    assets = setting.ocean.assets
    data_nft, datatoken, ddo = assets.create_url_asset("Tides of March", url, {"from": publisher})
    return {
        "publisher": publisher.address,
        "address": data_nft.address,
        "did": ddo.did,
        "calculated": data_nft.calculate_did(),
        "datatoken": datatoken.address,
        "datatokens": ddo.datatokens,
        "nft": ddo.nft,
        "event": ddo.event,
        "resolved": assets.resolve(ddo.did).as_dictionary() == ddo.as_dictionary(),
        "metadata": ddo.metadata,
        "metadata_alone": Aquarius.get_instance(setting.url).get_ddo_metadata(ddo.did),
    }


def twice(setting, url):
    """Publishes a second asset with the NFT of a first one, which ocean.py refuses because of the service's answer."""
    publisher = setting.somebody()
    data_nft, _, _ = publish(setting, publisher, [url])
    try:
        publish(setting, publisher, [url], data_nft_address=data_nft.address)
    except AquariusError as error:
        return str(error)


def unknown(setting, did):
    aquarius = Aquarius.get_instance(setting.url)
    return [setting.ocean.assets.resolve(did), aquarius.ddo_exists(did), aquarius.get_ddo_metadata(did)]


def in_every_form(setting, url):
    """With and without encryption and compression; returns the flags of each, and whether it was served unchanged."""
    publisher = setting.somebody()
    found = []
    for encrypt in (True, False):
        for compress in (True, False):
            metadata = described(f"Tides {encrypt} {compress}")
            flags = {"encrypt_flag": encrypt, "compress_flag": compress}
            _, _, ddo = publish(setting, publisher, [url], metadata=metadata, **flags)
            found.append([encrypt, compress, ddo.metadata == metadata])
    return found


def invalid(setting):
    ddo = DDO("not a DID", chain_id=8996, nft_address=f"0x{'1' * 40}", metadata=described("Tides"))
    try:
        setting.ocean.assets.validate(ddo)
    except ValueError as error:
        return str(error)


def updated(setting, url):
    """New metadata and credentials in a document that the service has served, which is how users of ocean.py update."""
    publisher = setting.somebody()
    stranger = setting.somebody()
    _, _, ddo = publish(setting, publisher, [url])
    before = ddo.as_dictionary()
    ddo.metadata["tags"] = ["springtide"]
    ddo.add_address_to_deny_list(stranger.address)
    again = setting.ocean.assets.update(ddo, {"from": publisher})
    return {
        "before": before,
        "after": again.as_dictionary(),
        "denied": stranger.address.lower(),
        "found": [one.did for one in setting.ocean.assets.search("springtide")],
    }


def second_service(setting, url, other):
    """Adds a service with its own datatoken to an asset, and removes it again."""
    publisher = setting.somebody()
    data_nft, _, ddo = publish(setting, publisher, [url])
    second = data_nft.create_datatoken({"from": publisher}, name="Second", symbol="TWO")
    ddo.services.append(Service("later", "access", setting.url, second.address, [UrlFile(other)], 0))
    longer = setting.ocean.assets.update(ddo, {"from": publisher})
    served = longer.datatokens
    longer.services.pop()
    shorter = setting.ocean.assets.update(longer, {"from": publisher})
    return {"second": second.address, "longer": served, "shorter": shorter.datatokens}


def revoked(setting, url):
    """What ocean.py does with an asset that its publisher has revoked."""
    publisher = setting.somebody()
    data_nft, _, ddo = publish(setting, publisher, [url], name="Ebbtide")
    assets = setting.ocean.assets
    before = [one.did for one in assets.search("Ebbtide")]
    data_nft.setMetaDataState(3, {"from": publisher})
    while not assets.resolve(ddo.did).is_disabled:
        time.sleep(0.05)
    return {"did": ddo.did, "before": before, "after": [one.did for one in assets.search("Ebbtide")]}
