"""Serve one side: ``python side.py FILE FUNCTION OPTIONS``; standard library only.

It calls FUNCTION of FILE with OPTIONS (JSON) and answers with what that says of itself; then, for
every line ``{"steps": n}`` on its input, with the seconds that ``n`` steps took. It leaves when its
input ends.
"""

import contextlib
import glob
import importlib.util
import json
import os
import sys
import time


def serve(file, function, options):
    """Answer on a copy of standard output, so that no library prints into the answers."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    step, about = getattr(_load_module(file), function)(**options)
    print(json.dumps({"about": about}), file=answers, flush=True)
    for line in sys.stdin:
        steps = json.loads(line)["steps"]
        wall_s, cpu_s = time.perf_counter(), _measure_cpu_s()
        for _ in range(steps):
            step()
        wall_s, cpu_s = time.perf_counter() - wall_s, _measure_cpu_s() - cpu_s
        print(json.dumps({"wall_s": wall_s, "cpu_s": cpu_s}), file=answers, flush=True)


def _measure_cpu_s():
    """Return the processor time of this process and, where /proc has it, of its children."""
    spent_s = time.process_time()
    for children in glob.glob("/proc/self/task/*/children"):
        with open(children) as listing:
            for pid in listing.read().split():
                with contextlib.suppress(OSError), open(f"/proc/{pid}/schedstat") as stat:
                    spent_s += int(stat.read().split()[0]) / 1e9
    return spent_s


def _load_module(file):
    """Load ``file`` as the module ``side``, by which MindSpore finds the sources of its classes."""
    spec = importlib.util.spec_from_file_location("side", file)
    module = sys.modules["side"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    # Not this folder: a benchmark called like a library would be imported in its place.
    sys.path.pop(0)
    serve(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
