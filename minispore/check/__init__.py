"""Predict where MindSpore's graphs would behave differently from minispore.

``check`` runs a network once and reports the differences; ``python -m minispore check
script.py`` does so for a script.
"""

from minispore.check.call import check as check
from minispore.check.finding import Finding as Finding
from minispore.check.finding import Report as Report
from minispore.check.rule import Rule as Rule
from minispore.check.rule import all_rules as all_rules
from minispore.check.strict import enforce_strict_level as enforce_strict_level

__all__ = ["Finding", "Report", "Rule", "all_rules", "check"]
