"""Searches, reads a document and downloads a file with the generated client. Arguments: provider, token, parameters."""

import json
import sys

from tidegate_api import AuthenticatedClient
from tidegate_api.api.assets import get_asset, search_assets, search_documents
from tidegate_api.api.service import download, initialize
from tidegate_api.models import Error, ErrorCode, Query, Quote, Search

provider, token, order = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
client = AuthenticatedClient(base_url=provider, token=token, prefix="", auth_header_name="AuthToken")

body = Search(query=Query.from_dict({"match": {"metadata.name": "tide"}}), size=5)
found = search_assets.sync(client=client, body=body)
documents = search_documents.sync(client=client, body=body)
asset = get_asset.sync(order["documentId"], client=client)
quote = initialize.sync(
    client=client,
    document_id=order["documentId"],
    service_id=order["serviceId"],
    consumer_address=order["consumerAddress"],
)
assert isinstance(quote, Quote)
unknown = get_asset.sync("did:op:" + "0" * 64, client=client)
assert isinstance(unknown, Error) and unknown.code is ErrorCode.ASSET_NOT_FOUND
file = download.sync(
    client=client,
    document_id=order["documentId"],
    service_id=order["serviceId"],
    transfer_tx_id=order["transferTxId"],
    consumer_address=order["consumerAddress"],
    file_index=0,
)
print(
    json.dumps(
        {
            "found": [hit.field_source.id for hit in found.hits.hits],
            "documents": [one.id for one in documents],
            "datatoken": asset.services[0].datatoken_address,
            "quoted": quote.datatoken,
            "file": file.payload.read().decode(),
        }
    )
)
