"""The whole docstring of every public name, put together from where each fact stands.

=============== ==============================================================================
what it says    comes from
=============== ==============================================================================
first lines     the docstring in the source; of a function of one op, the op's own formula
Args            the signature and the docstring; else the op behind it; else ``glossary/``, which
                says once what a name means everywhere
Returns, Shape  running the example: types, shapes and dtypes as they come
Raises          running the example with wrong arguments: the rule that the error states
Example         the docstring; else ``calls.txt``; else a call of plain tensors that the signature
                allows
=============== ==============================================================================

``python -m tests.reference`` (``make reference``) writes ``minispore/foundation/reference``, which
``foundation/docstrings.py`` reads at import. Git ignores these files; a wheel holds them. An op
that is added gets its entry in the same way; a test names what is missing.
"""
