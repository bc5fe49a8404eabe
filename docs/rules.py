"""docs/check.md: the page of rules, made of their files. ``python docs/rules.py`` writes it."""

from __future__ import annotations

from pathlib import Path

from minispore.check import Rule, all_rules

PAGE = Path(__file__).with_name("check.md")
_WORDS = {"refused": "refused", "other": "something else", "": "the same"}
_HEAD = """# Will it run on a real one?

`python -m minispore check script.py` runs a script as `python -m minispore` does, each training
cut to a few steps (`--steps`, 3) and its checkpoints written to a scratch folder, and says where
the graphs of the real MindSpore refuse what ran, or compute something else than PYNATIVE_MODE.
Only functions that went through a graph are judged, and the names that 2.10 has no longer.
`--strict` adds what `jit_syntax_level=STRICT` refuses; `--json` and `--html FILE` are for other
readers. The exit status is 0 if there is nothing to say, 1 with findings, 2 if the script failed.

    $ python -m minispore check train.py
    train.py:14: try (LAX refuses, STRICT refuses; certain)
        A try statement is refused.
        here:  try:
        instead: return ops.sqrt(x)

`# minispore: ok RULE` at the end of a line silences a rule there. From Python it is
`ms.check(net, *inputs)`; in tests the fixture `minispore_check` of `pytest_plugins =
["minispore.check.plugin"]` fails with the findings. Before each commit:

```yaml
- repo: local
  hooks:
    - {id: minispore, name: minispore check, entry: python -m minispore check, language: system,
       files: train\\.py$}
```

A jit function and a derivative that the script itself calls are LAX under STRICT, too.

## The rules
"""


def text() -> str:
    """The page."""
    return _HEAD + "".join(map(_section, all_rules().values()))


def _section(rule: Rule) -> str:
    lax, strict = _WORDS[rule.lax], _WORDS[rule.strict]
    return (
        f"\n### {rule.name}\n\n{rule.says} LAX: {lax}; STRICT: {strict} ({rule.sure}).\n\n"
        f"```text\n{rule.bad}\n```\n\ninstead\n\n```text\n{rule.good}\n```\n"
    )


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
