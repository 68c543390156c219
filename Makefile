# jupyter_gpuquota: `make lab` starts it, `make test` checks it, `make help` lists the rest.
# Every target sets up what it needs, and redoes only what has changed.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# Options: make lab PORT=9000 ARGS="--ServerApp.log_level=DEBUG"
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && exit; \
	done; echo python3)
PORT ?=
BACKEND ?=
ARGS ?=
# Not empty: tests of rare combinations run, too.
ALL ?=
# The Python tests mostly wait, so more of them run in parallel than there are cores. Files keep their
# order: those with the most tests are quick, and those with the longest tests must not come last.
WORKERS ?= 4
CLUSTER_WORKERS ?= 4

# Each part has a report, a memory of what failed last, and a temporary folder of its own: they run in
# parallel. In pytest's common folder each would, at its end, remove what others have left or still use.
# The folder's name is short (the path of a unix socket has to fit into 107 bytes) and that of one checkout.
PYTEST = pytest $(if $(ALL),,-m "not rare") --junitxml=$(REPORTS)/$(@:test-%=%).xml -o cache_dir=.pytest_cache/$(@:test-%=%) \
	--basetemp=$${TMPDIR:-/tmp}/gpuq-$(CHECKOUT)-$(@:test-%=%)
CHECKOUT = $(shell echo '$(REPORTS)' | cksum | cut -d ' ' -f 1)

# Folders whose tests start no process of ours: they compute, the others mostly wait.
PURE := architecture core model services idleness scenarios contract clusters kubernetes scripts
QUICK := $(filter-out clusters kubernetes scripts,$(PURE))

VENV := $(CURDIR)/.venv
STEP := $(CURDIR)/scripts/step.sh
HUB := $(CURDIR)/.venv-hub
MOTO := $(CURDIR)/.venv-moto
STAMPS := $(VENV)/stamps
export REPORTS := $(CURDIR)/reports
export PATH := $(VENV)/bin:$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# uv trusts what the system trusts, takes the index that pip is told to take, and never brings a Python.
export UV_SYSTEM_CERTS := 1
export UV_PYTHON_DOWNLOADS := never
ifdef PIP_INDEX_URL
export UV_DEFAULT_INDEX ?= $(PIP_INDEX_URL)
endif
# Images of containers set it. Each of the thousands of processes of the tests would compile anew.
unexport PYTHONDONTWRITEBYTECODE

BUILT := jupyter_gpuquota/labextension/package.json
NODE_MODULES := labextension/node_modules/.stamp
DEMO_CONFIG := $(VENV)/etc/jupyter/jupyter_gpuquota_config.py
# JupyterLab opens a browser, unless BROWSER=none, or Linux without a screen: then a text browser would
# take the terminal.
SCREEN := $(if $(filter Linux,$(shell uname)),$(BROWSER)$(DISPLAY)$(WAYLAND_DISPLAY),yes)
NO_BROWSER := $(if $(filter none,$(BROWSER)),--no-browser,$(if $(SCREEN),,--no-browser))
# Including folders: removing a file changes only its folder.
FRONT_END := $(shell find labextension/src labextension/style labextension/schema -not -path '*/__tests__*') \
	labextension/package.json labextension/tsconfig.json labextension/webpack.config.js

# ── For users ────────────────────────────────────────────────────────────────

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: lab
lab: $(STAMPS)/linked $(DEMO_CONFIG) ## open JupyterLab with the GPU workspace (PORT=, BACKEND=, BROWSER=none, ARGS=)
	@$(if $(BACKEND),export JUPYTER_GPUQUOTA_BACKEND=$(BACKEND); )(python demo/shapes.py && python demo/training.py) & \
		exec jupyter lab --ip=127.0.0.1 $(NO_BROWSER) \
		$(if $(PORT),--port=$(PORT)) $(if $(filter 0,$(shell id -u)),--allow-root) $(ARGS)

.PHONY: setup
setup: $(STAMPS)/test-tools $(STAMPS)/linked $(DEMO_CONFIG) ## install everything for development in .venv

# ── Checks ───────────────────────────────────────────────────────────────────

.PHONY: test
test: $(STAMPS)/venv ## run all checks; the last line is the total
	@python -m scripts.test_all

.PHONY: test-all
test-all: $(STAMPS)/venv ## run all checks with their rare combinations (before a release)
	@ALL=yes python -m scripts.test_all

.PHONY: test-setup
test-setup: $(STAMPS)/test-tools $(STAMPS)/nbdime $(STAMPS)/notebook $(STAMPS)/hub $(STAMPS)/chromium $(STAMPS)/filesystems $(STAMPS)/linked $(STAMPS)/moto ## install what the checks need, but for the programs that Go builds
	@true

.PHONY: test-pure
test-pure: $(STAMPS)/test-tools other-programs ## run the tests that start no process of ours (ARGS= goes to pytest)
	$(PYTEST) $(PURE:%=tests/%) $(ARGS)

.PHONY: test-quick
test-quick: $(STAMPS)/test-tools ## run most of these in half a minute, for use while working (ARGS= goes to pytest)
	pytest --quiet --numprocesses=2 --dist=worksteal --durations=5 \
		--hypothesis-profile=brief $(QUICK:%=tests/%) $(ARGS)

.PHONY: again
again: $(STAMPS)/test-tools $(STAMPS)/linked ## run one test five times and say how often it passed (TEST=tests/x.py::test_y)
	@python -m scripts.again "$(TEST)"

.PHONY: storm
storm: $(STAMPS)/test-tools $(STAMPS)/linked ## run every property with many examples and every storm in full (hours; not in test)
	pytest -m "hypothesis or storm" --hypothesis-profile=storm --timeout=7200 --numprocesses=2 \
		--dist=worksteal --durations=25 --junitxml=$(REPORTS)/storm.xml $(ARGS)

.PHONY: mutants
mutants: $(STAMPS)/test-tools ## change modules by chance and see whether tests notice (SEED=; about an hour; not in test)
	@python -m scripts.mutants $(SEED)

.PHONY: lint
lint: $(STAMPS)/test-tools $(NODE_MODULES) ## check style, types, import layers, links, generated types
	python scripts/lint.py

WITH_PROCESSES := $(PURE:%=--ignore=tests/%) --ignore=tests/packaging --ignore=tests/hub --ignore=tests/cluster \
	--ignore=tests/gpu

# In a fresh clone one process compiles the tests first: each worker would do it for itself.
.PHONY: test-python
test-python: $(STAMPS)/test-tools $(STAMPS)/nbdime $(STAMPS)/moto $(STAMPS)/linked ## run the Python tests with processes (ARGS= goes to pytest, WORKERS= in parallel)
	$(if $(wildcard tests/local/__pycache__),,pytest --quiet --collect-only $(WITH_PROCESSES) > /dev/null || true)
	$(PYTEST) --numprocesses=$(WORKERS) --dist=loadfile --no-loadscope-reorder --durations=25 \
		$(WITH_PROCESSES) $(ARGS)

.PHONY: test-hub
test-hub: $(STAMPS)/test-tools $(STAMPS)/hub $(NODE_MODULES) ## test the controller as a service of a real JupyterHub
	$(PYTEST) tests/hub $(ARGS)

.PHONY: test-cluster
test-cluster: $(STAMPS)/test-tools $(STAMPS)/hub $(STAMPS)/chromium $(STAMPS)/linked cluster-programs other-programs ## test against a real Kubernetes API server (KUBECONFIG_TEST=)
	$(if $(KUBECONFIG_TEST)$(CLUSTER_TEST),,python -m scripts.cluster run )$(PYTEST) --numprocesses=$(CLUSTER_WORKERS) \
		--dist=loadfile --no-loadscope-reorder --durations=25 tests/cluster $(ARGS)

.PHONY: test-without-local
test-without-local: $(STAMPS)/test-tools $(STAMPS)/linked ## run the backend-neutral tests without the local backend (not in test)
	python -m scripts.without_local --numprocesses=$(WORKERS) --dist=loadfile --no-loadscope-reorder \
		--ignore=tests/cluster --ignore=tests/gpu $(ARGS)

.PHONY: test-gpu
test-gpu: $(STAMPS)/test-tools ## test the local backend on this machine's NVIDIA GPU (not in test)
	$(PYTEST) tests/gpu $(ARGS)

.PHONY: test-architecture
test-architecture: $(STAMPS)/test-tools ## check layers, sizes, light imports (part of test-pure)
	$(PYTEST) tests/architecture $(ARGS)

.PHONY: test-packaging
test-packaging: $(STAMPS)/test-tools $(NODE_MODULES) ## test the wheel and a clean install; with ALL=yes sdist, images, binder
	$(PYTEST) --timeout=900 tests/packaging $(ARGS)

.PHONY: test-frontend
test-frontend: $(NODE_MODULES) ## run the front end's unit tests (ARGS= goes to jest)
	cd labextension && jlpm test $(ARGS)

.PHONY: test-browser
test-browser: $(STAMPS)/notebook $(STAMPS)/chromium $(STAMPS)/linked ## test the front end in a real browser (ARGS= goes to playwright)
	@mkdir -p $(REPORTS)
	cd labextension/ui-tests && jlpm test $(if $(ALL),,--grep-invert @all) $(ARGS)

.PHONY: bench
bench: $(STAMPS)/test-tools $(STAMPS)/chromium $(STAMPS)/linked ## measure performance beside that of peers
	@scripts/system_packages.sh bench
	python -m benchmarks $(ARGS)

.PHONY: shots
shots: $(STAMPS)/chromium $(STAMPS)/linked ## regenerate the screenshots in the docs
	@mkdir -p $(REPORTS)
	cd labextension/ui-tests && jlpm shots $(ARGS)

.PHONY: clean
clean: ## remove everything that make created
	rm -rf .venv .venv-bench .venv-hub .venv-moto .venv-data build dist reports jupyter_gpuquota/labextension jupyter_gpuquota/_version.py
	rm -rf labextension/{lib,node_modules,coverage,tsconfig.tsbuildinfo}
	rm -rf labextension/ui-tests/{node_modules,test-results,playwright-report}
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	find jupyter_gpuquota tests benchmarks scripts -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

# ── Set-up, one stamp per step ───────────────────────────────────────────────

# `make -j` runs the steps in parallel: Python packages beside those of the front end.

$(STAMPS)/venv: scripts/ensure_venv.sh
	@scripts/system_packages.sh venv "$(PYTHON)"
	@$(STEP) 'Setting up a virtual environment in .venv' scripts/ensure_venv.sh $(VENV) "$(PYTHON)"
	@mkdir -p $(STAMPS) $(REPORTS) && touch $@

$(STAMPS)/node: scripts/ensure_node.sh | $(STAMPS)/venv
	@$(STEP) 'Looking for Node' scripts/ensure_node.sh $(VENV)
	@touch $@

$(STAMPS)/build-tools: pyproject.toml scripts/build_requirements.py | $(STAMPS)/venv
	@python scripts/build_requirements.py > $(STAMPS)/build-requirements.txt
	@$(STEP) 'Installing the Python packages of the build' uv pip install --python $(VENV) -r $(STAMPS)/build-requirements.txt
	@touch $@

# One workspace: the front end and its browser tests.
$(NODE_MODULES): labextension/package.json labextension/ui-tests/package.json labextension/yarn.lock labextension/.yarnrc.yml | $(STAMPS)/node $(STAMPS)/build-tools
	@cd labextension && $(STEP) 'Installing the packages of the front end (about a minute the first time)' jlpm install --immutable
	@touch $@

$(BUILT): $(FRONT_END) $(NODE_MODULES)
	@cd labextension && $(STEP) 'Building the front end' jlpm build
	@touch $@

# First remove the link that `linked` makes: uv would write through it into the source tree.
$(STAMPS)/package: pyproject.toml install.json $(wildcard jupyter-config/*/*) labextension/package.json | $(STAMPS)/build-tools
	@rm -rf $(VENV)/share/jupyter/labextensions/jupyter-gpuquota
	@SKIP_JUPYTER_BUILDER=1 $(STEP) 'Installing jupyter_gpuquota and JupyterLab in .venv' \
		uv pip install --python $(VENV) --no-build-isolation --editable '.[dev,nvml,pandas]'
	@touch $@

$(STAMPS)/test-tools: $(STAMPS)/package
	@$(STEP) 'Installing what the tests need in .venv' uv pip install --python $(VENV) -r pyproject.toml --extra test
	@touch $@

# JupyterLab loads the front end from this checkout.
$(STAMPS)/linked: $(STAMPS)/package $(BUILT)
	@jupyter-builder develop . --overwrite --log-level=WARN
	@touch $@

$(STAMPS)/hub: pyproject.toml scripts/ensure_hub.sh | $(STAMPS)/build-tools
	@$(STEP) 'Installing JupyterHub in .venv-hub' scripts/ensure_hub.sh $(HUB)
	@touch $@

# Outside the site-packages, for the tests of notebook differences alone: its extensions of Jupyter would
# load in every server that a test starts. Of what it needs, only colorama is not there yet.
$(STAMPS)/nbdime: | $(STAMPS)/venv
	@rm -rf $(VENV)/nbdime
	@$(STEP) 'Installing nbdime' uv pip install --python $(VENV) --no-deps --target $(VENV)/nbdime 'nbdime>=4,<5' 'colorama>=0.4'
	@touch $@

# Outside the site-packages for the same reason: Notebook 7, for its browser test. It finds its settings
# in one folder with those of JupyterLab.
$(STAMPS)/notebook: | $(STAMPS)/package
	@rm -rf $(VENV)/notebook
	@$(STEP) 'Installing Notebook 7' uv pip install --python $(VENV) --no-deps --target $(VENV)/notebook 'notebook>=7.6,<7.7'
	@ln -s $(VENV)/share/jupyter/lab/schemas/@jupyterlab $(VENV)/notebook/share/jupyter/lab/schemas
	@ln -s $(VENV)/share/jupyter/lab/{static,themes} $(VENV)/notebook/share/jupyter/lab
	@touch $@

$(STAMPS)/moto: scripts/ensure_moto.sh | $(STAMPS)/venv
	@$(STEP) 'Installing moto in .venv-moto' scripts/ensure_moto.sh $(MOTO)
	@touch $@

$(DEMO_CONFIG): demo/jupyter_gpuquota_config.py $(STAMPS)/package
	@cp $< $@

# Keeps its builds outside the checkout, under the versions of what is in them.
.PHONY: cluster-programs
cluster-programs: $(STAMPS)/test-tools
	$(if $(KUBECONFIG_TEST)$(CLUSTER_TEST),,@$(STEP) 'Building the programs of the test cluster (some minutes the first time)' python -m scripts.cluster build)

# Builds Helm, and versitygw for `make test-all`, once, and keeps them outside the checkout, too.
.PHONY: other-programs
other-programs: $(STAMPS)/test-tools
	@$(STEP) 'Building Helm and versitygw' python -m scripts.programs

$(STAMPS)/chromium: scripts/system_packages.sh $(NODE_MODULES)
	@scripts/system_packages.sh chromium
	@touch $@

$(STAMPS)/filesystems: scripts/system_packages.sh | $(STAMPS)/venv
	@scripts/system_packages.sh filesystems
	@touch $@
