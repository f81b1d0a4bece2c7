# After a clone: `make demo` or `make test`. Both set up .venv first; nothing is needed but Python ≥ 3.11.
PYTHON ?= python3
NEWEST ?= $(PYTHON)
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin
# A test that waits for ever fails, with a traceback, in place of holding up all others.
LIMIT := --timeout 600

.PHONY: demo test test-all interop versions bits docs lint clean

demo: $(VENV)/report
	$(BIN)/dpclaims run --tier smoke -j $(JOBS)
	$(BIN)/dpclaims report -j $(JOBS)

# What must pass on every change, in five minutes. Claims whose sources have not changed are not computed again.
test: $(VENV)/dev
	$(BIN)/dpclaims run --tier smoke -j $(JOBS) > /dev/null
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(LIMIT) -m "not slow"

# What a release needs besides: long loops, pages in a browser, bits in all ways, other libraries, other versions.
test-all: $(VENV)/dev
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(LIMIT)
	$(MAKE) bits interop versions

# Other people's libraries as they are installed today, in an environment of their own.
interop: $(VENV)-interop/ready
	$(VENV)-interop/bin/python -m pytest -n $(JOBS) --dist worksteal tests/interop tests/test_examples.py

# The oldest versions that pyproject.toml allows, then the newest, with NEWEST=python3.13 or the like on another
# Python: claims, a report, an audit.
versions: $(VENV)/dev
	sh tests/versions/try.sh "$(PYTHON)" "$(NEWEST)" "$(BIN)/python"

# Every claim at the tier smoke, computed in every way: the same bits.
bits: $(VENV)/dev
	DPCLAIMS_BITS=all $(BIN)/python -m pytest tests/harness/test_same_bits.py

# The documentation as a site, build/docs/index.html; warnings are errors.
docs: $(VENV)/dev
	$(BIN)/python -m mkdocs build --strict

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/pyright --pythonpath $(BIN)/python

$(VENV)/report: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dpclaims needs Python 3.11 or newer, set PYTHON=")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[report]'
	touch $@

$(VENV)/dev: $(VENV)/report pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[dev,cluster,docs]'
	touch $@

$(VENV)-interop/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)-interop
	$(VENV)-interop/bin/python -m pip install --quiet --upgrade pip
	$(VENV)-interop/bin/python -m pip install --quiet --no-compile --editable '.[maps]' pytest pytest-xdist
	$(VENV)-interop/bin/python tests/interop/install.py
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-interop build dist *.egg-info
