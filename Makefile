# Every target does its own set-up; a second call starts at once.
SHELL := /bin/bash
BIN := .venv/bin
export OMP_WAIT_POLICY := PASSIVE
export OPENBLAS_NUM_THREADS := 1
export DVC_NO_ANALYTICS := 1
export TOKENIZERS_PARALLELISM := false
RUN := env PATH="$(CURDIR)/$(BIN):$$PATH"

.DEFAULT_GOAL := help
.PHONY: help setup run repro flow test test-slow check fmt deps learning bench clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

setup: ## the virtual environment from requirements.lock
	@scripts/setup

run: setup ## from nothing to trained adapters and a table of pass rates (dvc repro, then the table)
	@$(RUN) dvc repro
	@$(RUN) python -m stages.table

repro: setup ## dvc repro: make what changed
	@$(RUN) dvc repro

flow: setup ## the same as a Prefect flow, with or without a running server
	@$(RUN) python -m flows.round

test: setup ## format, lint, types and the test suite without its slow part
	@VENV=.venv scripts/check
	@$(RUN) python -m pytest -n 2 --dist loadfile -m "not slow"

test-slow: setup ## the slow part of the suite
	@$(RUN) python -m pytest -m slow

check: setup ## format, lint, types, closures
	@VENV=.venv scripts/check

fmt: setup ## format and mend what ruff can
	@$(RUN) ruff format . && $(RUN) ruff check --fix .

deps: setup ## write each stage's import closure into dvc.yaml
	@$(RUN) python -m stages.closure --write

learning: setup ## does it learn? three seeds of the whole loop, into metrics/learning.json
	@$(RUN) python -m benchmarks.learning

bench: setup ## what isolation costs: the sandbox against other harnesses, memory, time-outs; into metrics/sandbox.json
	@$(RUN) python -m benchmarks.sandbox

clean: ## remove what can be made again, the cache of artifacts included
	rm -rf .venv .cache data .dvc/cache .dvc/tmp
