"""One Python contestant in a process of its own: what serve.ts is for the others, with the same lines.

Its arguments are the library's name and a JSON object with the row's inputs (name and shape), the factors that fill them, the shape of
the result, and the statements. The file `<library>_peer.py` beside this one makes the arrays.
"""
import importlib
import json
import sys
import time


def answer(content):
    print("=", json.dumps(content), flush=True)


def main(library, row):
    try:
        peer = importlib.import_module(f"{library}_peer")
    except ImportError as error:
        answer({"absent": str(error)})
        return
    names = {name: peer.filled(shape, row["factors"][name]) for name, shape in row["inputs"].items()}
    names["out"] = peer.zeros(row["result"])
    names[peer.prefix] = peer.library
    exec(row.get("once", ""), names)
    names.pop("__builtins__", None)
    # Parameters, so that the statements see local variables, as they do in a function that somebody writes.
    source = f"def loop(count, {', '.join(names)}):\n  for _ in range(count):\n    {row['each']}\n  return out\n"
    scope = {}
    exec(source, scope)
    loop = scope["loop"]
    answer({"ready": peer.library.__version__})
    out = names["out"]
    for line in sys.stdin:
        order = json.loads(line)
        if "calls" in order:
            start = time.perf_counter_ns()
            out = loop(order["calls"], **names)
            answer({"nanoseconds": time.perf_counter_ns() - start})
        else:
            flat = out.reshape(-1)
            answer({"length": len(flat), "values": [float(flat[index]) for index in order["probe"]]})


main(sys.argv[1], json.loads(sys.argv[2]))
