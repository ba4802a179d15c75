"""Orders and downloads, with every kind of price that ocean.py knows."""
import time

from ocean_lib.agreements.consumable import AssetNotConsumable
from ocean_lib.exceptions import DataProviderException, InsufficientBalance
from ocean_lib.models.datatoken_base import TokenFeeInfo
from ocean_lib.models.dispenser import DispenserArguments
from ocean_lib.models.fixed_rate_exchange import ExchangeArguments
from ocean_lib.ocean.util import to_wei
from publishing import publish


def given(setting, urls, folder, index=None):
    """A free token, an order, and the files: all of them, or the one at an index."""
    publisher, consumer = setting.somebody(), setting.somebody()
    _, datatokens, ddo = publish(setting, publisher, urls)
    datatokens[0].mint(consumer.address, to_wei(1), {"from": publisher})
    order = setting.ocean.assets.pay_for_access_service(ddo, {"from": consumer})
    return setting.ocean.assets.download_asset(ddo, consumer, folder, order.hex(), index=index)


def priced(setting, url, folder, price, template):
    """Published with a price in one transaction, and bought by `pay_for_access_service`, which gets a token if needed."""
    publisher, consumer = setting.somebody(), setting.somebody(tokens=10)
    if price is None:
        pricing = DispenserArguments(to_wei(1), to_wei(1))
    else:
        pricing = ExchangeArguments(to_wei(price), setting.ocean.OCEAN_address, dt_decimals=18)
    options = {"pricing_schema_args": pricing, "dt_template_index": template}
    _, _, ddo = setting.ocean.assets.create_url_asset("Tides", url, {"from": publisher}, **options)
    receipt = setting.ocean.assets.pay_for_access_service(ddo, {"from": consumer})
    path = setting.ocean.assets.download_asset(ddo, consumer, folder, receipt.transactionHash.hex())
    again = setting.ocean.assets.resolve(ddo.did)
    while again.stats["orders"] == 0:
        time.sleep(0.05)
        again = setting.ocean.assets.resolve(ddo.did)
    left = setting.ocean.OCEAN_token.balanceOf(consumer.address)
    return {"path": path, "left": str(left), "stats": again.stats, "published": ddo.stats}


def offered_later(setting, url, folder):
    """A dispenser and an exchange that the publisher adds to a datatoken later, and a token from each."""
    publisher, consumer = setting.somebody(), setting.somebody(tokens=10)
    _, (datatoken,), ddo = publish(setting, publisher, [url])
    try:
        setting.ocean.assets.pay_for_access_service(ddo, {"from": consumer})
        poor = None
    except InsufficientBalance as error:
        poor = str(error)
    exchange = datatoken.create_exchange({"from": publisher}, to_wei(3), setting.ocean.OCEAN_address)
    datatoken.mint(publisher.address, to_wei(5), {"from": publisher})
    datatoken.approve(exchange.address, to_wei(5), {"from": publisher})
    needed = exchange.BT_needed(to_wei(1), consume_market_fee=0)
    setting.ocean.OCEAN_token.approve(exchange.address, needed, {"from": consumer})
    exchange.buy_DT(to_wei(1), {"from": consumer})
    datatoken.create_dispenser({"from": publisher}, max_tokens=to_wei(1), max_balance=to_wei(2))
    datatoken.dispense(to_wei(1), {"from": consumer})
    order = setting.ocean.assets.pay_for_access_service(ddo, {"from": consumer})
    return {
        "poor": poor,
        "left": str(datatoken.balanceOf(consumer.address)),
        "path": setting.ocean.assets.download_asset(ddo, consumer, folder, order.hex()),
    }


def reused(setting, url, folder):
    """An order that is reused with new fees, and the orders of the datatoken."""
    publisher, consumer = setting.somebody(), setting.somebody()
    _, (datatoken,), ddo = publish(setting, publisher, [url])
    datatoken.mint(consumer.address, to_wei(1), {"from": publisher})
    fees = setting.ocean.retrieve_provider_fees(ddo, ddo.services[0], consumer)
    sender = {"from": consumer}
    market = TokenFeeInfo(publisher.address, setting.ocean.OCEAN_address, 0)
    first = datatoken.start_order(consumer.address, 0, fees, sender, consume_market_fees=market)
    fees = setting.ocean.retrieve_provider_fees(ddo, ddo.services[0], consumer)
    second = datatoken.reuse_order(first.transactionHash, fees, sender)
    orders = setting.ocean.get_user_orders(consumer.address, datatoken.address)
    return {
        "path": setting.ocean.assets.download_asset(ddo, consumer, folder, second.transactionHash.hex()),
        "orders": [order.transactionHash.hex() for order in orders],
        "first": first.transactionHash.hex(),
    }


def for_somebody_else(setting, url, folder):
    """One account pays, another one downloads, and a third one is refused."""
    publisher, payer = setting.somebody(), setting.somebody()
    consumer, third = setting.somebody(), setting.somebody()
    _, (datatoken,), ddo = publish(setting, publisher, [url])
    datatoken.mint(payer.address, to_wei(1), {"from": publisher})
    assets = setting.ocean.assets
    order = assets.pay_for_access_service(ddo, {"from": payer}, consumer_address=consumer.address)
    path = assets.download_asset(ddo, consumer, folder, order.hex())
    refusals = []
    # ocean.py passes on the transaction id as bytes, as pay_for_access_service returns it
    for somebody, sent in ((third, order.hex()), (consumer, bytes(order))):
        try:
            assets.download_asset(ddo, somebody, folder, sent)
        except DataProviderException as error:
            refusals.append(str(error))
    return {"path": path, "refusals": refusals}


def denied(setting, url):
    """A denied consumer is refused by ocean.py itself, and gets no quote from the service."""
    publisher, consumer = setting.somebody(), setting.somebody()
    credentials = {"allow": [], "deny": [{"type": "address", "values": [consumer.address]}]}
    _, _, ddo = publish(setting, publisher, [url], credentials=credentials)
    refusals = []
    for attempt in (
        lambda: setting.ocean.assets.pay_for_access_service(ddo, {"from": consumer}),
        lambda: setting.ocean.retrieve_provider_fees(ddo, ddo.services[0], consumer),
    ):
        try:
            attempt()
        except (AssetNotConsumable, DataProviderException) as error:
            refusals.append(repr(error))
    return refusals
