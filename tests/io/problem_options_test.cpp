#include "berth/io/problem_options.h"

#include <doctest/doctest.h>

#include "berth/io/read_problem.h"

using namespace berth;

namespace {

LoadedProblem loaded(const char* file) {
  return {read_problem(std::string("tests/cli/files/") + file), {"was there"}};
}

}  // namespace

TEST_CASE("nothing asked for is nothing changed") {
  const LoadedProblem plain = with_options(loaded("chain.json"), {});
  CHECK(plain.problem.cluster() == loaded("chain.json").problem.cluster());
  CHECK(plain.warnings == std::vector<std::string>{"was there"});
  CHECK(unused_options(plain.problem, {}).empty());
}

TEST_CASE("memory, servers, their network and constraints are changed together") {
  const LoadedProblem before = loaded("replicas.json");  // a CPU and three accelerators
  const ProblemOptions options{.reserve = {"50%"}, .servers = 2, .network = 3, .constraints = {}};
  const LoadedProblem after = with_options(before, options);
  CHECK(after.problem.cluster().servers().count() == 2);
  CHECK(after.problem.cluster().network().bytes_per_second == 3e9);
  CHECK(after.problem.counts_network());
  CHECK(unused_options(after.problem, options).empty());
  CHECK(after.warnings.size() == 1 + 4);  // none of the devices has a limit
}

TEST_CASE("constraints are added to those of the file") {
  const LoadedProblem before = loaded("chain.json");
  const LoadedProblem after =
      with_options(before, {.reserve = {}, .constraints = "tests/cli/files/pins.json"});
  CHECK(after.problem.constraints().pin.size() > before.problem.constraints().pin.size());
}

TEST_CASE("servers and a network are unused where the execution does not count them") {
  const ProblemOptions network{.reserve = {}, .network = 1, .constraints = {}};
  CHECK(unused_options(with_options(loaded("replicas.json"), network).problem, network) ==
        std::vector<std::string>{"--network is not used: it means nothing for a single server"});
  const ProblemOptions servers{.reserve = {}, .servers = 2, .constraints = {}};
  CHECK(unused_options(with_options(loaded("chain.json"), servers).problem, servers) ==
        std::vector<std::string>{"--servers is not used: it means nothing for latency with "
                                 "concurrent execution"});
}
