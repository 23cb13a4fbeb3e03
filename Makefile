# Each target works as the first command in a fresh checkout: it needs Python 3.11 to 3.14, make
# and a package index, sets up .venv by itself, and does so again only when pyproject.toml or
# constraints.txt change. `make help` lists the targets.

VENV := .venv
BIN := $(VENV)/bin
RINGYARD := $(BIN)/ringyard
OUT := out
PYTHONS := python3 python3.14 python3.13 python3.12 python3.11
ARGS :=
# Tests run on all processors; `make test SPREAD=` runs them one after the other.
SPREAD := --numprocesses logical --dist worksteal

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test test-slow check lint types format bench docs paper clean discard
# Tests and commands start hundreds of processes, which need not compile the package again.
unexport PYTHONHOME PYTHONPATH PYTHONDONTWRITEBYTECODE
# The rooms stand in this folder; none of them may hide a module of the same name.
export PYTHONSAFEPATH := 1

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/.ready-core ## solve instances, hold a theorem against runs, make a LaTeX table
	mkdir -p $(OUT)
	@echo; echo "1. Named instances, solved, with a bound on what is possible"
	$(RINGYARD) solve hand-theorem5
	$(RINGYARD) solve mobihoc-20-s0 --method list-scheduling
	$(RINGYARD) solve mobihoc-20-s0 --time-limit 10 --seed 0 \
	    --out $(OUT)/mobihoc-20-s0.json --gantt $(OUT)/mobihoc-20-s0.svg
	$(RINGYARD) check mobihoc-20-s0 $(OUT)/mobihoc-20-s0.json
	$(RINGYARD) solve pdors-s0 --method pd-ors-corrected --gantt $(OUT)/pdors-s0.svg
	@echo; echo "2. What is proved about methods, held against runs"
	$(RINGYARD) verify hand-theorem5 hand-lpt hand-spread
	@echo; echo "3. A campaign, and its table in LaTeX"
	$(RINGYARD) run first --out $(OUT)/first
	$(RINGYARD) table $(OUT)/first --kind policies --format markdown
	$(RINGYARD) table $(OUT)/first --kind policies --document --out $(OUT)/first.tex
	@if command -v pdflatex >/dev/null; then \
	    pdflatex -interaction=nonstopmode -halt-on-error -output-directory $(OUT) \
	        $(OUT)/first.tex >/dev/null && echo "The table in print is $(OUT)/first.pdf"; \
	else echo "No pdflatex here: $(OUT)/first.tex is not made into a PDF"; fi
	$(RINGYARD) report $(OUT)/first --out $(OUT)/first.html
	@echo; echo "Pictures of schedules: $(OUT)/mobihoc-20-s0.svg and $(OUT)/pdors-s0.svg"
	@echo "The report of the campaign, to open in a browser: $(OUT)/first.html"

test: $(VENV)/.ready-test ## run the tests; choose with ARGS='-k judge'
	$(BIN)/python -m pytest $(SPREAD) -m 'not slow' $(ARGS)

test-slow: $(VENV)/.ready-test ## run the long tests that `make test` leaves out
	$(BIN)/python -m pytest $(SPREAD) -m slow $(ARGS)

check: lint types docs ## all three; `make -k check` goes on after a failure

lint: $(VENV)/.ready-dev ## style and format
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check

types: $(VENV)/.ready-dev build/typed/ringyard ## types, strictly
	$(BIN)/python -m mypy

format: $(VENV)/.ready-dev ## repair format and the simple lint findings
	$(BIN)/python -m ruff check --fix-only
	$(BIN)/python -m ruff format

bench: $(VENV)/.ready-test ## run the benchmarks; once each with ARGS=--benchmark-disable
	$(BIN)/python -m pytest benchmarks $(ARGS)

docs: $(VENV)/.ready-dev ## build the documentation in build/docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs build/docs

paper: $(VENV)/.ready-test ## the draft of a paper, out/paper.pdf; needs pdflatex and bibtex
	@test -f $(OUT)/mobihoc/figure-4.pdf || $(RINGYARD) reproduce mobihoc --smoke --figure 4 --out $(OUT)
	@test -f $(OUT)/guarantees/ratios.pdf || $(RINGYARD) reproduce guarantees --smoke --out $(OUT)
	TEXINPUTS=docs/paper:$(OUT): pdflatex -interaction=batchmode -output-directory $(OUT) paper.tex
	cd $(OUT) && BIBINPUTS="$(CURDIR)/docs/paper:" bibtex -terse paper
	TEXINPUTS=docs/paper:$(OUT): pdflatex -interaction=batchmode -output-directory $(OUT) paper.tex
	TEXINPUTS=docs/paper:$(OUT): pdflatex -interaction=batchmode -halt-on-error -output-directory $(OUT) paper.tex

clean: ## remove everything that these targets made
	rm -rf $(VENV) $(OUT) build dist ringyard.egg-info .benchmarks .hypothesis
	rm -rf .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

build/typed/ringyard: # gives mypy the package under its name, whatever this folder is called
	@mkdir -p build/typed
	@ln -s ../.. $@

# The environment. $(VENV)/.place holds the folder it was finished for; without it an installation
# was interrupted, and with another folder in it the checkout was moved. Both start anew.
GROUP_core :=
GROUP_test := test
GROUP_dev := dev
PLACE := $(shell $(BIN)/python -c '' 2>/dev/null && cat $(VENV)/.place 2>/dev/null)
ifneq "$(PLACE)" "$(CURDIR)"
STALE := discard
endif

discard:
	@rm -rf $(VENV)

$(VENV)/.ready-%: pyproject.toml constraints.txt $(STALE)
	@rm -f $(VENV)/.place
	@test -x $(BIN)/python || { $(FIND_PYTHON); echo "Making $(VENV) with $$python"; \
	    $$python -m venv $(VENV); }
	@echo "Installing what pyproject.toml asks for$(GROUP_$*:%= in group %) into $(VENV): about a minute"
	@test -z '$(GROUP_$*)' || $(BIN)/python .ci/group.py $(GROUP_$*) > $(VENV)/group.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --compile \
	    --constraint constraints.txt --editable . $(GROUP_$*:%=--requirement $(VENV)/group.txt)
	@printf '%s\n' "$(CURDIR)" > $(VENV)/.place
	@touch $@

define FIND_PYTHON
for python in $(PYTHONS); do \
    $$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' \
        2>/dev/null && break; \
    python=; \
done; \
if [ -z "$$python" ]; then \
    echo "Ringyard needs Python 3.11 to 3.14, but none of these is one: $(PYTHONS)." >&2; \
    echo "Install one, or name it: make $(MAKECMDGOALS) PYTHONS=/path/to/python3.11" >&2; \
    exit 1; \
fi
endef
