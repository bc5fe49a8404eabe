"""Write docs/check.md, the page of rules, from the files of the rules: ``python docs/rules.py``."""

from __future__ import annotations

from pathlib import Path

from minispore.check import Rule, all_rules

PAGE = Path(__file__).with_name("check.md")
_WORDS = {"refused": "refused", "other": "a different result", "": "the same result"}


def text() -> str:
    """Return the page: its present text before the rules, and a section for each rule."""
    head, rules, _ = PAGE.read_text(encoding="utf-8").partition("\n## The rules\n")
    return head + rules + "".join(map(_section, all_rules().values()))


def _section(rule: Rule) -> str:
    lax, strict = _WORDS[rule.lax], _WORDS[rule.strict]
    levels = f"LAX: {lax}; STRICT: {strict}" if rule.lax or rule.strict else rule.section
    return (
        f"\n### {rule.name}\n\n{rule.says} {levels} ({rule.sure}).\n\n"
        f"```text\n{rule.bad}\n```\n\ninstead\n\n```text\n{rule.good}\n```\n"
    )


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
