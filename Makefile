# From nothing but Python 3.11 or newer and a C compiler:
#   make demo   play, fit, match and solve on a small scale, under five minutes
#   make check  style, types and the fast tests of what has changed since SINCE (main), a minute
#   make test   style, types, tests, the site; where the core or its tests have changed since, these again on a debug build
#               with sanitizers; CONTRIBUTING.md has the times
#   make format Python and scripts as `make lint` wants them
#   make soak   tests of minutes: processes killed in every step, real clusters, large samples; after make test
#               (MINUTES=5: one case of each test, and others until the time is over)
#   make touched  style, types, and all but soak of the tests of what has changed since SINCE (main)
#   make browsers  a journey through the page in Chromium, Firefox and WebKit, as far as they are there
#   make windows  a wheel for Windows by mingw-w64, and its tests in a Windows Python under wine (SMOKE=1: fewer, three
#                 minutes with the build)
#   make windows-folder  a zip for Windows with kr, Python and the libraries, started under wine
#   make arm    kr in an arm64 Python in qemu: its wheel's check, results compared with those here, tests of compiled code
#               (QUICK=1: without the tests)
#   make macos  the compiled core for both machines of macOS, compiled and linked but not run, in build/macos
#   make library  kr as a C library in build/library (SYSTEM=windows, windows32 or wasm: for these)
#   make install  that of Linux below PREFIX (/usr/local), with header and kr.pc (DESTDIR: for packages)
#   make checkerboard  engines for CheckerBoard of it, and GAMES games through its interface under wine
#   make page   the page of kr web without a server in build/page, for any web server to show
#   make bundle the scripts of kr web in few files, in kr/page/bundle, as wheels have them; part of make build, test, dist
#   make oldest some tests with the oldest libraries that pyproject.toml allows, in build/oldest
#   make dist   source archive and wheel in build/dist, the wheel installed beside the versions of requirements.lock in an
#               empty environment, and checked there
#   make release  all of a release but its publication, and what is left; packaging/release.py describes it (ANYWAY=1: a
#                 dry run of what is not ready)
#   make lock   newer versions of libraries in requirements.lock, deploy/requirements.lock, packaging/windows/libraries.txt
#   make build  the environment in .venv and the compiled core
#   make docs   the site of docs/ in build/site, unless it is up to date
#   make bench  node signature and speed of the search
#   make figures  repeat the figures of docs/measurements.toml that are the same on each run; check what pages quote
#                 (ONLY=WORDS: those with these words; EXPENSIVE=1: those that take long as well)
#   make tutorial  docs/start/tutorial.ipynb from tutorial.py there, after that or the tables have changed
#   make language  the file of texts of the language CODE, made if there is none: what it lacks and what is wrong with it
#                 (UPDATE=1: new texts empty, old ones out)
# Scripts of pages are checked and tested where node (18.19 or newer) and npm are: make scripts does only that.
# PYTHON=python3.12 chooses another Python; KR_ARCH and the other variables of setup.py pass through.

PYTHON ?= python3
BIN := .venv/bin
SITE_SOURCES := $(shell find docs kr \( -name __pycache__ -o -name bundle \) -prune -o -type f -print)
SOURCES := pyproject.toml setup.py kr/__init__.py $(shell find kr -name "*.p[yx][xdi]")

INSTALL := $(BIN)/pip install -q --disable-pip-version-check
# Whoever has finished takes over half of what is left to another; make test PYTEST_JOBS=0 runs all in one process.
# There is one process more than there are cores, since tests of pages wait a lot.
PYTEST_JOBS = $(shell expr $$(nproc) + 1)
MARKED = not soak
PYTEST = $(BIN)/pytest -q -n $(PYTEST_JOBS) --dist worksteal
DEBUG := build/debug
CORE_TESTS := $(shell grep -l "mark.core" tests/test_*.py)
SANITIZERS := LD_PRELOAD="$$(gcc -print-file-name=libasan.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1

NODE_BIN := node_modules/.bin
# 18.19 is the first with the hooks of tests/scripts/merged.js
NODE := $(shell command -v npm >/dev/null && \
	node -p 'const [major, minor] = process.versions.node.split("."); +major > 18 || major == 18 && minor > 18 || ""')

WINDOWS := build/windows
# What Windows differs in most: the units, files and their locks, processes and their ends, streams.
WINDOWS_SMOKE := @tests/windows_smoke.txt

# It trusts the certificates that the system does, as pip may: its later versions know the other name of that.
UV = UV_NATIVE_TLS=1 UV_SYSTEM_CERTS=1 $(if $(PIP_INDEX_URL),UV_DEFAULT_INDEX="$(PIP_INDEX_URL)") $(BIN)/uv
LOCK = $(UV) pip compile -q --upgrade --universal --generate-hashes --no-annotate --python-version 3.11 \
	--custom-compile-command "make lock" pyproject.toml

DIST := build/dist
OLDEST := build/oldest
OLDEST_EXTRAS := plots web nets evolve cluster parquet test

.PHONY: demo check concerned test touched soak browsers install pytest build style lint types format scripts scripts-lint scripts-types scripts-test language tools \
	debug-test oldest dist release lock library checkerboard page bundle windows windows-folder arm macos \
	bench figures docs tutorial clean

demo: build
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh selfplay/demo.sh

# style and types are read, not run: they don't wait for the core to be compiled
check: $(BIN)/mypy
	$(MAKE) -j2 lint concerned types scripts-test MARKED="not slow and not soak" PYTEST_JOBS=$(shell nproc)

SINCE ?= main
concerned: .venv/tests
	$(PYTEST) -m "$(MARKED)" $$($(BIN)/python tests/concerned.py $(SINCE))

# While tests wait for browsers and other processes, types are checked, and the debug build and the site made.
test: .venv/tests lint .venv/docs
	$(MAKE) -j2 pytest $(DEBUG)/built types scripts-test docs
	$(MAKE) $(DEBUG)/passed

# the page without a server is bundled by a tool of node
pytest: .venv/tests bundle
	$(PYTEST) --budget tests/budget.json -m "$(MARKED)"

# A file goes to one process, which makes once what its tests share; those that take longest begin. Files without such a
# test aren't even imported.
soak: .venv/tests
	$(PYTEST) --dist loadfile $(if $(MINUTES),--minutes $(MINUTES)) -m soak tests/test_*_kills.py $$(grep -l "mark.soak" tests/test_*.py)

# each browser that is missing is told; KR_BROWSERS="firefox webkit" names those that may not be
browsers: .venv/tests bundle
	$(BIN)/pytest -q -rs -m soak tests/test_browsers.py

touched: $(BIN)/mypy
	$(MAKE) -j2 lint concerned types scripts-test

style: lint types

lint: $(BIN)/mypy scripts-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check -q .
	@# longer than 120 characters, but for texts for readers, each of which is one literal
	@! LC_ALL=C.UTF-8 grep -rnE --include="*.js" --include="*.css" --exclude-dir=languages --exclude-dir=vendor --exclude-dir=bundle ".{121,}" kr docs packaging  # longer than 120 characters

types: $(BIN)/mypy scripts-types
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/windows kr/system/windows.py

format: .venv/tests $(if $(NODE),$(NODE_BIN)/biome)
	$(BIN)/ruff format .
	$(if $(NODE),$(NODE_BIN)/biome check --write)

scripts: scripts-lint scripts-types scripts-test

ifneq ($(NODE),)
scripts-lint: $(NODE_BIN)/biome
	$(NODE_BIN)/biome ci

scripts-types: $(NODE_BIN)/biome
	$(NODE_BIN)/tsc --incremental --tsBuildInfoFile build/types/page.json
	$(NODE_BIN)/tsc --incremental --tsBuildInfoFile build/types/answers.json -p packaging/page

language: $(NODE_BIN)/biome
	@node --import ./tests/scripts/merged.js tests/scripts/language.js "$(CODE)" $(if $(UPDATE),update)

scripts-test: $(NODE_BIN)/biome
	node --import ./tests/scripts/merged.js --test-reporter dot tests/scripts/all.js
else
scripts-lint scripts-types scripts-test language:
	@echo "kr: $@ was left out: no node of version 18.19 or newer with npm (apt install nodejs npm)"; test -z "$$CI"
endif

build: .venv/kr $(if $(wildcard $(NODE_BIN)/esbuild),bundle)

# the scripts of kr web in few files; where there is no node it hands out the modules
ifneq ($(NODE),)
bundle: .venv/kr $(NODE_BIN)/biome
	@$(BIN)/python packaging/page/bundle.py
else
bundle:
	@echo "kr: the scripts of kr web are not bundled: no node of version 18.19 or newer with npm"; test -z "$$CI"
endif

bench: build
	$(BIN)/kr bench

figures: .venv/figures
	$(BIN)/python bench/figures.py $(if $(ONLY),--only "$(ONLY)") $(if $(EXPENSIVE),--expensive)

docs: build/site/index.html

# pages of the reference are made from docstrings and from what commands say
build/site/index.html: .venv/docs mkdocs.yml $(wildcard *.md) $(SITE_SOURCES)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build -q

tutorial: .venv/notebook
	$(BIN)/python docs/start/make_notebook.py

# Once more though nothing has changed.
debug-test:
	@rm -f $(DEBUG)/passed
	$(MAKE) $(DEBUG)/passed

$(DEBUG)/built: $(SOURCES) | .venv/tests
	@echo "kr: compiling the core with assertions and sanitizers; a minute or two ..."
	@rm -rf $(DEBUG)/kr
	KR_DEBUG=1 KR_SANITIZE=address,undefined \
		nice $(BIN)/python setup.py -q build --build-lib $(DEBUG) --build-temp $(DEBUG)-objects
	@touch $@

# Kept apart from the build in use; -P keeps the checkout's own kr out of the way. Whatever is slow would be three times
# as slow here, and runs the same code as what is not.
$(DEBUG)/passed: PYTEST_JOBS = $(shell nproc)
$(DEBUG)/passed: $(DEBUG)/built $(CORE_TESTS) | .venv/tests
	PYTHONPATH=$(DEBUG) $(SANITIZERS) $(BIN)/python -P -c \
		'import kr._core as core; assert "/$(DEBUG)/" in core.__file__, core.__file__'
	PYTHONPATH=$(DEBUG) $(SANITIZERS) $(PYTEST) -p no:cacheprovider -m "core and not slow and not soak" $(CORE_TESTS)
	@touch $@

# uv finds the oldest versions of what pyproject.toml names that have wheels for this Python; the core is that of .venv.
oldest: PYTEST_JOBS = $(shell nproc)
oldest: $(OLDEST)/installed
	KR_OLDEST=1 PYTHONPATH="$(CURDIR)" $(OLDEST)/bin/python -m pytest -q -p no:cacheprovider -n $(PYTEST_JOBS) \
		--dist worksteal -m smoke $$(grep -l "mark.smoke" tests/test_*.py)

$(OLDEST)/installed: .venv/tests
	@echo "kr: installing the oldest libraries that pyproject.toml allows ..."
	@$(BIN)/python -m venv --clear --without-pip $(OLDEST)
	@$(UV) pip install -q --python $(OLDEST)/bin/python --only-binary :all: --resolution lowest-direct \
		-r pyproject.toml $(OLDEST_EXTRAS:%=--extra %)
	@touch $@

# Built as it is released, but by the tools in .venv: first the source archive, then the wheel from that.
dist: .venv/tests bundle
	@echo "kr: building source archive and wheel; a minute ..."
	@rm -rf $(DIST)
	@$(UV) build -q --no-build-isolation --python $(BIN)/python --out-dir $(DIST)
	$(BIN)/python packaging/contents.py $(DIST)
	@$(UV) venv -q --clear --python $(BIN)/python $(DIST)/venv
	@$(UV) pip install -q --python $(DIST)/venv/bin/python --require-hashes -r requirements.lock
	@$(UV) pip install -q --python $(DIST)/venv/bin/python --no-deps $(DIST)/*.whl
	$(DIST)/venv/bin/python packaging/check.py

release: .venv/release bundle
	$(BIN)/python packaging/release.py $(if $(ANYWAY),--anyway)

# The folder for Windows is for those who play and analyse: it leaves out what only fits need.
lock: .venv/tests
	$(LOCK) --extra plots --extra web -o requirements.lock
	$(LOCK) --extra cluster -o deploy/requirements.lock
	$(subst --universal,--python-platform x86_64-pc-windows-msvc --constraints packaging/windows/wine-8.txt,$(LOCK)) \
		--no-emit-package scipy --no-emit-package threadpoolctl --extra web -o packaging/windows/libraries.txt

# kr as a C library, into build/library; SYSTEM=windows and SYSTEM=windows32 by mingw-w64, SYSTEM=wasm by zig
library: .venv/library
	@$(BIN)/python packaging/library/compile_library.py $(if $(SYSTEM),--system $(SYSTEM)) $(if $(ARCH),--arch $(ARCH))
	@$(if $(filter wasm,$(SYSTEM)),$(BIN)/python packaging/library/try_wasm.py)

PREFIX ?= /usr/local
install: library
	@$(BIN)/python packaging/library/install.py --prefix "$(PREFIX)" $(if $(DESTDIR),--destdir "$(DESTDIR)")

# an engine for CheckerBoard, and GAMES (6) games through its interface under wine
checkerboard: .venv/library
	@$(BIN)/python packaging/checkerboard/compile_engine.py
	@$(BIN)/python packaging/checkerboard/play_games.py $(GAMES)

# the page without a server: kr as WebAssembly answers in the browser
ifneq ($(NODE),)
page: .venv/library $(NODE_BIN)/biome
	@$(MAKE) --no-print-directory library SYSTEM=wasm
	@$(BIN)/python packaging/page/build_page.py
else
page:
	@echo "kr: make page needs node of version 18.19 or newer with npm (apt install nodejs npm)"; exit 1
endif

# The wheel is what is tested: run.py keeps the checkout's own kr out of the way.
windows: PYTEST_JOBS = $(shell nproc)
windows: $(WINDOWS)/installed bundle
	@echo "kr: building the wheel for Windows ..."
	@$(BIN)/python packaging/windows/build.py
	$(BIN)/python packaging/windows/run.py -m pytest -q -p no:cacheprovider -n $(PYTEST_JOBS) --dist worksteal \
		--timeout=300 --timeout-method=thread \
		$(if $(SMOKE),-m "not soak" $(WINDOWS_SMOKE),-m "$(MARKED)")

$(WINDOWS)/installed: .venv/tests packaging/windows/runtime.py packaging/windows/layout.py pyproject.toml
	@echo "kr: making a Windows Python with the libraries of kr ..."
	@$(BIN)/python packaging/windows/runtime.py
	@touch $@

# A release has the package of python.org (embeddable.py without --of) in place of the Windows Python of the tests.
windows-folder: $(WINDOWS)/installed bundle
	@$(BIN)/python packaging/windows/build.py
	@$(BIN)/python packaging/windows/embeddable.py --of $(WINDOWS)/python -o $(WINDOWS)/embeddable.zip
	@rm -rf $(WINDOWS)/libraries
	@$(BIN)/pip download -q --disable-pip-version-check --no-deps --only-binary=:all: --platform=win_amd64 \
		--require-hashes -r packaging/windows/libraries.txt -d $(WINDOWS)/libraries
	@$(BIN)/python packaging/windows/folder.py $(WINDOWS)/embeddable.zip $(WINDOWS)/libraries/*.whl \
		$$(ls -t dist/kr_draughts-*-win_amd64.whl | head -n 1) -o dist
	$(BIN)/python packaging/windows/run.py -m pytest -q -p no:cacheprovider tests/test_windows_folder.py

arm: .venv/tests
	@$(BIN)/python packaging/arm.py $(if $(QUICK),--quick)

# ziglang, of PyPI, is clang with Apple's headers. It knows no -march but its own names; Python's symbols are found when
# a unit is loaded.
macos: .venv/tests
	@echo "kr: compiling for macOS ..."
	@for machine in arm64:aarch64 x86_64:x86_64; do \
		CC="env -u _PYTHON_HOST_PLATFORM $(CURDIR)/$(BIN)/python -m uv tool run -q --from ziglang python-zig cc -target $${machine#*:}-macos" \
		LDFLAGS="-undefined dynamic_lookup" KR_ARCH=baseline UV_NATIVE_TLS=1 UV_SYSTEM_CERTS=1 \
		_PYTHON_HOST_PLATFORM=macosx-11.0-$${machine%:*} $(BIN)/python setup.py -q build_ext \
			--build-lib build/macos/$${machine%:*} --build-temp build/macos/objects-$${machine%:*} || exit; \
	done

clean:
	rm -rf build dist .venv node_modules *.egg-info kr/*.so .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Says in one line what is missing, before pip says it in a hundred.
tools:
	@command -v $(PYTHON) >/dev/null || { echo "kr: no $(PYTHON): apt install python3"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "kr: $$($(PYTHON) --version) is too old: Python 3.11 or newer is needed (make PYTHON=python3.11)"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
		{ echo "kr: $(PYTHON) can't make virtual environments: apt install python3-venv"; exit 1; }
	@$(PYTHON) -c 'import os, shutil, sys, sysconfig as s; \
		sys.exit(not shutil.which((os.environ.get("CC") or s.get_config_var("CC") or "cc").split()[0]))' || \
		{ echo "kr: no C compiler: apt install gcc libc6-dev"; exit 1; }
	@$(PYTHON) -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' || \
		{ echo "kr: no Python.h for $(PYTHON): apt install python3-dev"; exit 1; }

.venv/pip: | tools
	@$(PYTHON) -m venv .venv
	@touch $@

# pip says nothing of the core while it compiles; setup.py takes what has not changed since as it is. What builds it is
# among what the tests need: where these are, pip needs no environment for it.
.venv/kr: .venv/pip $(SOURCES)
	@echo "kr: installing libraries and compiling the core; a minute or two, the first time ..."
	@$(INSTALL) $(if $(wildcard .venv/tests),--no-build-isolation --check-build-dependencies) -e '.[plots,web]'
	@touch $@
	@echo "kr: installed in .venv"

# The core may have been compiled since: what else is installed asks for it, but is installed as it was.
.venv/tests: pyproject.toml | .venv/kr
	@echo "kr: installing what the tests need ..."
	@$(INSTALL) -e '.[plots,web,test]'
	@touch $@

# what checks the text of Python: there after the first build, whatever has changed since
$(BIN)/mypy:
	@$(MAKE) .venv/tests

$(NODE_BIN)/biome: package.json package-lock.json
	@echo "kr: installing what checks scripts ..."
	@npm ci --silent --no-audit --no-fund
	@touch $@

.venv/release: pyproject.toml | .venv/tests
	@$(INSTALL) -e '.[plots,web,test,figures,release]'
	@touch $@

# each by the extra of its name
.venv/docs .venv/figures .venv/library .venv/notebook: .venv/%: pyproject.toml | .venv/kr
	@$(INSTALL) -e '.[plots,web,$*]'
	@touch $@
