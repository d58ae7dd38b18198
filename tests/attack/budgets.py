"""Small files that unpack to far more, or nest deep, are refused in a sentence, within 4 GiB."""

import gzip
import io
import json
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.attack import command
from tests.attack.violation import Violation
from unnaive.models import MODELS
from unnaive.persist import save

MAX_BYTES = 4 * 2**30
SECONDS = 120  # that a refusal may take
BLOCK = 2**24  # bytes of the same character, which gzip packs into 16 KB


def bomb(head, character, tail, n_bytes):
    """A gzip file of a head, a character many times, and a tail: one member repeated, so that it is made at once."""
    block = gzip.compress(character * BLOCK, 9)
    return gzip.compress(head) + block * (n_bytes // BLOCK) + gzip.compress(tail)


def model_file(folder, edit):
    """A model file whose manifest or model is something else."""
    save(MODELS["nb"].make().fit([["a"], ["b"]], ["x", "y"]), folder / "sound.unnaive")
    with zipfile.ZipFile(folder / "sound.unnaive") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    edit(members)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def deep(members, depth):
    manifest = json.loads(members["manifest.json"])
    text = json.dumps({**manifest, "notes": "HERE"})
    members["manifest.json"] = text.replace('"HERE"', "[" * depth + "]" * depth).encode()


def dictionary_of(n_rows):
    """A Parquet file of one value many times, which takes few bytes."""
    stream = io.BytesIO()
    value = pa.DictionaryArray.from_arrays(pa.array(np.zeros(n_rows, np.int8)), pa.array(["x" * 2000]))
    pq.write_table(pa.table({"a": value, "b": value}), stream)
    return stream.getvalue()


# Name of a file: its content, from the number of bytes it unpacks to and a folder to work in.
FILES = {
    "line.csv.gz": lambda n, _: bomb(b"a,b\n1,", b"x", b"\n", n),
    "quoted.csv.gz": lambda n, _: bomb(b'a,b\n1,"', b"\n", b'"\n', n),
    "header.csv.gz": lambda n, _: bomb(b"a,b", b",", b"\n1,2\n", n),
    "rows.csv.gz": lambda n, _: bomb(b"a,b\n", b"\n", b"1,2\n", min(n, 2**28)),
    "line.tsv.gz": lambda n, _: bomb(b"a\tb\n1\t", b"x", b"\n", n),
    "line.jsonl.gz": lambda n, _: bomb(b'{"a": "', b"x", b'", "b": 1}\n', n),
    "deep.jsonl.gz": lambda n, _: bomb(b'{"b": 1, "a": ', b"[", b"\n", n),
    "deep.jsonl": lambda n, _: b'{"b": 1, "a": ' + b"[" * 10**6 + b"]" * 10**6 + b"}\n",
    "digits.jsonl": lambda n, _: b'{"b": 1, "a": ' + b"9" * 10**6 + b"}\n",
    "keys.jsonl": lambda n, _: b"{" + b", ".join(b'"k%d": 1' % k for k in range(300_000)) + b"}\n",
    "columns.csv": lambda n, _: b",".join(b"c%d" % k for k in range(300_000)) + b"\n",
    "line.arff.gz": lambda n, _: bomb(b"@relation r\n@attribute a numeric\n@attribute b {", b"x", b"}\n@data\n", n),
    "data.arff.gz": lambda n, _: bomb(
        b"@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n1,", b"x", b"\n", n
    ),
    "line.dat.gz": lambda n, _: bomb(b"@relation r\n@attribute a {", b"x", b"}\n@data\n", n),
    "same.parquet": lambda n, _: dictionary_of(min(n // 1000, 10**7)),
    "deep.unnaive": lambda n, folder: model_file(folder, lambda members: deep(members, 10**6)),
    "large.unnaive": lambda n, folder: model_file(
        folder, lambda members: members.update({"manifest.json": b" " * min(n, 2**30)})
    ),
    "packed.unnaive": lambda n, folder: model_file(
        folder, lambda members: members.update({"model.skops": bytes(min(n, 2**30))})
    ),
}


def attempt(seed, folder):
    """One such file, read by a command."""
    rng = np.random.default_rng(seed)
    name = list(FILES)[seed % len(FILES)]
    n_bytes = int(rng.choice([2**28, 2**31, 5 * 2**30]))
    (folder / name).write_bytes(FILES[name](n_bytes, folder))
    arguments = ["info", name] if name.endswith(".unnaive") else ["fit", name, "-m", "nb", "-t", "b", "-o", "m.unnaive"]
    running = command.Command(*arguments, folder=folder, max_bytes=MAX_BYTES)
    code, told = running.end(SECONDS)
    size = (folder / name).stat().st_size
    story = (
        f"{' '.join(arguments)}: {size:,} bytes, unpacked up to {n_bytes:,}\nexit code {code}: {told[-400:].strip()}"
    )
    if code < 0:
        yield Violation(f"{name}: killed, or not done after {SECONDS} s", story)
    elif code != 0 and not command.is_refusal(code, told):
        yield Violation(f"{name}: exit code {code} without a sentence", story)
    elif "not enough memory" in told or "MemoryError" in told or "out of memory" in told or "malloc" in told:
        yield Violation(f"{name}: runs out of memory", story)
