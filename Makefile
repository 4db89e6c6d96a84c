# The two commands are `make demo` and `make test`. Both install what this machine lacks, build,
# and are safe to repeat; scripts/setup says how, CMakeLists.txt says what.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
jobs := $(shell nproc)
# The folders of bench/ that hold a program.
benchmarks := $(sort $(notdir $(patsubst %/,%,$(dir $(wildcard bench/*/*.cpp)))))

.PHONY: all test demo install dev bench table fuzz format clean setup

all: setup
	@cmake --preset release --log-level=NOTICE >/dev/null
	@cmake --build --preset release
	@echo "built build/release/bin/berth"

test: all
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
