// Published and recomputed values of list placement on the shared problem files.
#include <optional>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "berth/io/read_problem.h"
#include "berth/place/run_placer.h"
#include "tests/support/shared_data.h"

using namespace berth;

namespace {

// Of the simulated placement, in milliseconds; infinity without one.
double value_ms(const std::string& spec, const Problem& problem) {
  const Result result = run_placer(spec, problem);
  INFO(spec << " on " << problem.name() << ": " << result.reason);
  REQUIRE(result.simulation);
  return in_milliseconds(result.simulation->value);
}

}  // namespace

TEST_CASE("HEFT and the best single device on the moirai set, memory limits lifted") {
  struct Row {
    const char* file;
    double heft, single;
  };
  for (const Row& row : {Row{"example-1", 28.0, 65.0}, Row{"GoogLeNet", 1.420, 2.336},
                         Row{"inceptionv4", 12.582, 13.752}, Row{"transformer", 20.284, 22.695}}) {
    CAPTURE(row.file);
    const auto path = shared_data(std::string("moirai/") + row.file + ".json");
    if (!path) return;
    const Problem problem = read_problem(*path, {.ignore_memory = true});
    CHECK(value_ms("heft", problem) == doctest::Approx(row.heft).epsilon(1e-3));
    CHECK(value_ms("single-device", problem) == doctest::Approx(row.single).epsilon(1e-4));
  }
}

TEST_CASE("greedy call latency gives the values of the published program") {
  for (const auto& [file, value] :
       {std::pair{"LayerGraphs/bert24", 100.219}, std::pair{"LayerGraphs/gnmt", 268.5},
        std::pair{"LayerGraphs/inceptionv3", 2485.24},
        std::pair{"OperatorGraphs/bert_l-12", 867.839},
        std::pair{"OperatorGraphs/bert_l-3", 416.204},
        std::pair{"OperatorGraphs/resnet50", 839.536}}) {
    CAPTURE(file);
    const auto path =
        shared_data(std::string("dnn-partitioning/latency-inputs/") + file + "_inference.json");
    if (!path) return;
    const Problem problem = read_problem(*path).with_model(CallLatency{});
    CHECK(value_ms("greedy", problem) == doctest::Approx(value).epsilon(1e-5));
  }
}
