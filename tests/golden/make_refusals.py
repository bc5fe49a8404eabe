"""Makes refusals.json with the real MindSpore: ``python tests/golden/make_refusals.py``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

from refusal_cases import calls, ending, space  # noqa: E402


def main() -> None:
    import mindspore as ms

    names = space(ms)
    results_by_name = {call: ending(names, call) for call in calls()}
    values_by_name = {call: end for call, end in results_by_name.items() if end != "no kernel"}
    (FOLDER / "refusals.json").write_text(
        json.dumps(values_by_name, indent=0) + "\n", encoding="utf-8"
    )
    print(len(values_by_name), "of", len(results_by_name), "calls")


if __name__ == "__main__":
    main()
