# The front door; CMakeLists.txt is the build. `make` leaves ballpark, libballpark.a and libballpark.so in build/.
JOBS := $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60
PREFIX ?= /usr/local
# The inner build counts its own jobs.
BUILD = env -u MAKEFLAGS -u MFLAGS tools/build -j $(JOBS)

.PHONY: all demo test claims bench bench-peers fuzz check install clean

all: ## builds the library and the command
	@tools/install-deps build
	@$(BUILD) release -DBALLPARK_TESTS=OFF -DBALLPARK_BENCH=OFF

demo: all ## the main job on a sample log
	@tools/demo

test: ## everything that CTest knows
	@tools/install-deps build test
	@$(BUILD) release -DBALLPARK_TESTS=ON -DBALLPARK_BENCH=OFF
	@ctest --test-dir build -j $(JOBS) --output-on-failure

claims: ## the table of claims, compared with docs; FULL=1 runs the long rows, UPDATE=1 rewrites the pages
	@tools/install-deps build test
	@$(BUILD) release -DBALLPARK_TESTS=ON -DBALLPARK_BENCH=OFF
	@tests/claims $(if $(FULL),-f) $(if $(UPDATE),-u)

bench: ## tables of figures, also in build/bench.tsv
	@tools/install-deps build bench
	@$(BUILD) bench -DBALLPARK_TESTS=OFF
	@bench/run | tee build/bench.tsv

bench-peers: ## beside other tools, as build/peers.md; PEERS_SHORT=1 in a minute
	@tools/install-deps build bench peers
	@$(BUILD) bench -DBALLPARK_TESTS=OFF
	@bench/peers/run

fuzz: ## every fuzzer, FUZZ_SECONDS in all
	@tools/install-deps build fuzz
	@$(BUILD) fuzz
	@fuzz/run $(FUZZ_SECONDS)

check: ## layers, symbols, style, format, clang-tidy
	@tools/install-deps build test check
	@$(BUILD) clang
	@tools/check-all

install: all ## under PREFIX; DESTDIR is honoured
	@cmake --install build --prefix $(PREFIX)

clean:
	rm -rf build
