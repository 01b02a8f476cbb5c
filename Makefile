# Everyday commands. Each first installs what it needs and is missing (Debian packages); the command is build/gpusim.
SHELL := /bin/bash
JOBS ?= $(shell nproc)
# Debian's own Python is the one that sees Debian's Python packages.
PYTHON = $(shell test -x /usr/bin/python3 && echo /usr/bin/python3 || command -v python3)

setup = @tests/tools/setup.sh
configure = @cmake --preset $(1) --log-level=WARNING -DPython_EXECUTABLE=$(PYTHON) >/dev/null
build = cmake --build --preset $(1)
# The totals are printed whether or not all tests passed.
run_tests = @ctest --preset $(1) -j $(JOBS); status=$$?; $(PYTHON) tests/tools/test_totals.py $(2); exit $$status

.PHONY: run build test bench instructions instructions-record lint sanitize tsan digests clean

run:
	$(setup) build
	$(call configure,release)
	$(call build,release) --target gpusim_command
	build/gpusim run matmul --arch ada --tile 128

build:
	$(setup) build
	$(call configure,release)
	$(call build,release)

test: build
	$(call run_tests,release,build)

bench:
	$(setup) build bench
	$(call configure,release)
	$(call build,release) --target benchmarks gpusim_command
	$(PYTHON) tests/tools/bench.py build tests/benchmark/results

# The host's instructions of a few commands, against those on record: a measure of speed without noise.
instructions instructions-record:
	$(setup) build bench
	$(call configure,release)
	$(call build,release) --target gpusim_command
	$(PYTHON) tests/tools/instructions.py $(if $(findstring record,$@),record,check) build tests/benchmark/instructions.json

# Formatting, clang-tidy, include table and file sizes on what changed since main; LINT_ALL=1: on everything.
lint:
	$(setup) build lint
	$(call configure,release)
	$(call configure,tidy)
	tests/tools/lint.sh build build-tidy

sanitize:
	$(setup) build
	$(call configure,sanitize)
	$(call build,sanitize)
	$(call run_tests,sanitize,build-sanitize)

tsan:
	$(setup) build
	$(call configure,tsan)
	$(call build,tsan)
	$(call run_tests,tsan,build-tsan)

# The same digests from gcc and clang, -O0 and -O3.
digests:
	$(setup) build digests
	tests/tools/digests.sh -DPython_EXECUTABLE=$(PYTHON)

clean:
	rm -rf build build-dev build-sanitize build-tsan build-tidy build-digests
