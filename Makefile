# The two commands are `make demo` and `make test`. Both install what this machine lacks, build,
# and are safe to repeat; scripts/setup says how, CMakeLists.txt says what.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
jobs := $(shell nproc)
# The folders of bench/ that hold a program.
benchmarks := $(sort $(notdir $(patsubst %/,%,$(dir $(wildcard bench/*/*.cpp)))))

.PHONY: all test demo install dev tsan audit bench table proofs fuzz format clean setup

all: setup
	@cmake --preset release --log-level=NOTICE >/dev/null
	@cmake --build --preset release --target product
	@echo "built build/release/bin/berth"

test: all
	@cmake --build --preset release
	@ctest --preset release -j $(jobs)

demo: all
	@scripts/demo

install: all
	@cmake --install build/release --prefix "$(PREFIX)" >/dev/null
	@echo "installed $(PREFIX)/bin/berth"

# Address and undefined-behaviour sanitizers, asserts on, warnings are errors.
dev: setup
	@cmake --preset dev --log-level=NOTICE >/dev/null
	@cmake --build --preset dev
	@ctest --preset dev -j $(jobs)

# The thread sanitizer, over the tests with threads of our own. OpenVINO and LibTorch are not built
# with it and would drown it in false reports: they are left out.
tsan: setup
	@cmake --preset tsan --log-level=NOTICE >/dev/null
	@cmake --build --preset tsan
	@ctest --preset tsan -j $(jobs)

# Every claim against every value, on random problems of every kind: `make audit PROBLEMS=100000`.
# FIRST numbers the first problem; what goes wrong is shrunk and kept in build/audit.
PROBLEMS ?= 8000
FIRST ?= 1
audit: setup
	@cmake --preset release --log-level=NOTICE >/dev/null
	@cmake --build --preset release --target berth_audit
	@mkdir -p build/audit
	@build/release/tests/berth_audit --problems $(PROBLEMS) --first $(FIRST) --keep build/audit $(ARGS)

# Every benchmark in turn; `make bench BENCH=simulator` runs one, `make bench BENCH=hsdag ARGS=--full`
# with arguments of its own.
bench:
	@scripts/setup bench
	@cmake --preset bench --log-level=NOTICE >/dev/null
	@cmake --build --preset bench
	@set -e; for name in $(or $(BENCH),$(benchmarks)); do \
	  echo "bench: $$name"; build/bench/bin/bench_$$name $(ARGS); done

# Exact methods by inputs, ours beside the reference, as Markdown: `make table LIMIT=300`. LIMIT is in
# seconds for each run, DATA the folder that holds dnn-partitioning.
LIMIT ?= 10
DATA ?= ../shared/data
table: all
	@python3 bench/exact/table.py --data "$(DATA)" --limit "$(LIMIT)" $(if $(ONLY),--only "$(ONLY)")

# What docs/results.md calls proven, proven again by every way: `make proofs LIMIT=300`.
proofs: all
	@python3 bench/exact/proofs.py --data "$(DATA)" --limit "$(LIMIT)" $(if $(ONLY),--only "$(ONLY)")

# Each reader for FUZZ_SECONDS.
fuzz:
	@scripts/setup fuzz
	@scripts/fuzz $(FUZZ_SECONDS)

format:
	@scripts/setup format
	@git ls-files -z --cached --others --exclude-standard -- '*.cpp' '*.h' \
	  | xargs -0 clang-format-14 -i

setup:
	@scripts/setup

clean:
	rm -rf build
