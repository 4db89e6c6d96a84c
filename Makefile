# The two commands are `make demo` and `make test`. Both install what this machine lacks, build,
# and are safe to repeat; scripts/setup says how, CMakeLists.txt says what.

PREFIX ?= /usr/local
jobs := $(shell nproc)

.PHONY: all test demo install dev bench fuzz format clean setup

all: setup
	@cmake --preset release --log-level=NOTICE
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
	@cmake --preset dev --log-level=NOTICE
	@cmake --build --preset dev
	@ctest --preset dev -j $(jobs)

setup:
	@scripts/setup

clean:
	rm -rf build
