"""Would the real MindSpore do the same? ``check`` runs a network and says what its graphs would.

``python -m minispore check script.py`` does so for a script.
"""

from minispore.check.call import check as check
from minispore.check.finding import Finding as Finding
from minispore.check.finding import Report as Report
from minispore.check.rule import Rule as Rule
from minispore.check.rule import all_rules as all_rules
from minispore.check.strict import judged as judged

__all__ = ["Finding", "Report", "Rule", "all_rules", "check"]
