"""Uploads a file with tuspy as the JSON on stdin says, and prints the URL of the upload or the refusal."""
import asyncio
import json
import sys

from tusclient.client import TusClient
from tusclient.exceptions import TusCommunicationError
from tusclient.storage.filestorage import FileStorage

call = json.load(sys.stdin)
options = call["options"]
if "storage" in call:
    options.update(store_url=True, url_storage=FileStorage(call["storage"]))
client = TusClient(call["endpoint"], headers=call["headers"])
try:
    if call.get("asynchronous"):
        uploader = client.async_uploader(**options)
        asyncio.run(uploader.upload())
    else:
        uploader = client.uploader(**options)
        uploader.upload(stop_at=call.get("stopAt"))
    outcome = {"url": uploader.url}
except TusCommunicationError as error:
    outcome = {"status": error.status_code, "answer": json.loads(error.response_content)}
print(json.dumps(outcome))
