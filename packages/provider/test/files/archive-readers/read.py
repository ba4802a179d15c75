"""Reads a ZIP archive, and prints a line for each file: name, bytes, SHA-256, seconds since 1970."""

import datetime
import hashlib
import struct
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as archive:
    for info in archive.infolist():
        data = archive.read(info)
        # the extended timestamp, which this library leaves to its callers
        time = struct.unpack("<i", info.extra[info.extra.index(b"UT") + 5 :][:4])[0]
        assert datetime.datetime(*info.date_time, tzinfo=datetime.timezone.utc).timestamp() == time
        print(info.filename, len(data), hashlib.sha256(data).hexdigest(), time, sep="\t")
