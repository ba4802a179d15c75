"""Runs scenarios with ocean.py for a test: reads calls from stdin, one JSON document per line, and answers likewise."""
import importlib
import json
import os
import sys
import traceback

import setting

# ocean.py prints to stdout what it signs: answers use a separate descriptor
answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)


def answer(call):
    module, name = call["scenario"].split(".")
    scenario = getattr(importlib.import_module(module), name)
    return {"result": scenario(setting.current(), **call["arguments"])}


setting.connect(json.loads(sys.stdin.readline()))
for line in sys.stdin:
    try:
        outcome = answer(json.loads(line))
    except Exception:
        outcome = {"error": traceback.format_exc()}
    answers.write(json.dumps(outcome) + "\n")
