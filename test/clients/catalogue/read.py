"""Reads a catalogue as data portals and machine learning do: BASE DID... Prints what it has read as JSON."""

import json
import os
import sys

import pyshacl
import rdflib

BASE, DIDS = sys.argv[1], sys.argv[2:]
DCAT = rdflib.Namespace("http://www.w3.org/ns/dcat#")
DCT = rdflib.Namespace("http://purl.org/dc/terms/")
HYDRA = rdflib.Namespace("http://www.w3.org/ns/hydra/core#")
SHAPES = os.path.join(os.path.dirname(__file__), "shapes.ttl")


def violations(graph):
    """Returns what DCAT-AP 3 forbids in a graph."""
    conforms, _, text = pyshacl.validate(graph, shacl_graph=SHAPES, advanced=False)
    return [] if conforms else [text]


def catalogue():
    """Follows the pages as CKAN's harvester does."""
    titles, wrong, pages, url = [], [], 0, f"{BASE}/catalogue.jsonld"
    while url and pages < 10:
        graph = rdflib.Graph()
        graph.parse(url, format="json-ld")
        wrong += violations(graph)
        for dataset in graph.subjects(rdflib.RDF.type, DCAT.Dataset):
            titles.append(str(graph.value(dataset, DCT.title)))
        view = next(graph.subjects(rdflib.RDF.type, HYDRA.PagedCollection))
        following = graph.value(view, HYDRA.next)
        url, pages = following and str(following), pages + 1
    return {"titles": titles, "wrong": wrong, "pages": pages}


def asset(did):
    """Reads the description of one asset in each format."""
    graph = rdflib.Graph()
    graph.parse(f"{BASE}/api/catalogue/{did}?format=dcat", format="json-ld")
    import mlcroissant

    read = mlcroissant.Dataset(jsonld=f"{BASE}/api/catalogue/{did}?format=croissant")
    files = [(one.name, one.content_size, one.sha256) for one in read.metadata.distribution]
    records = {
        name.id: [{key: value.decode() if isinstance(value, bytes) else value for key, value in record.items()}
                  for record in read.records(name.id)]
        for name in read.metadata.record_sets
    }
    return {"name": read.metadata.name, "files": files, "records": records, "wrong": violations(graph),
            "problems": list(read.metadata.ctx.issues.errors)}


print(json.dumps({"catalogue": catalogue(), "assets": [asset(did) for did in DIDS]}, default=str))
