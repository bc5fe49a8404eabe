"""Make tests/golden/attributes.json: python tests/golden/make_attributes.py

With the real MindSpore: the attributes of what users derive their own classes from.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

FILE = Path(__file__).parent / "attributes.json"


def main() -> None:
    sys.path.insert(0, str(FILE.parent))
    import mindspore
    from bases import bases, names

    results_by_name = {
        name: " ".join(sorted(names(output))) for name, output in bases(mindspore).items()
    }
    FILE.write_text(json.dumps(results_by_name, indent=1) + "\n")


if __name__ == "__main__":
    main()
