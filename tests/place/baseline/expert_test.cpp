// The expert's split as a method.

#include "berth/place/baseline/expert.h"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/io/read_problem.h"
#include "berth/place/registry.h"
#include "berth/place/run_placer.h"
#include "tests/support/shared_data.h"

using namespace berth;

namespace {

Result run_expert(const std::string& input, const std::string& split) {
  const auto problem = shared_data("dnn-partitioning/throughput-inputs/LayerGraphs/" + input);
  const auto file = shared_data("dnn-partitioning/human-experts/" + split);
  if (!problem || !file) return {};
  return run_placer(fmt::format("expert(file={})", file->string()), read_problem(*problem));
}

}  // namespace

TEST_CASE("without a file the error says what is needed, before anything runs") {
  CHECK_THROWS_WITH_AS(make_method("expert"),
                       "expert takes a given split and needs its file: expert(file=split.json)",
                       Error);
}

TEST_CASE("a file that is not there is the user's mistake") {
  const Problem problem = read_problem("tests/cli/files/chain.json");
  CHECK_THROWS_WITH_AS(run_placer("expert(file=no_such_split.json)", problem),
                       doctest::Contains("no_such_split.json"), Error);
}

TEST_CASE("the split is taken as it is: reference value 20.084 ms on bert24") {
  const Result result = run_expert("bert24_inference.json", "bert24_inference_expert.json");
  if (result.spec.empty()) return;
  REQUIRE(result.placement);
  CHECK(in_milliseconds(result.simulation->value) == doctest::Approx(20.084).epsilon(1e-4));
  CHECK(result.method == "expert");
}

TEST_CASE("the backward part that an inference split leaves out follows by co-location") {
  // The inference split on the training graph: 213.654 ms in reference.csv.
  const Result result =
      run_expert("inceptionv3_training.json", "inceptionv3_inference_expert.json");
  if (result.spec.empty()) return;
  REQUIRE(result.placement);
  CHECK(in_milliseconds(result.simulation->value) == doctest::Approx(213.654).epsilon(1e-4));
}

TEST_CASE("a split of another model is refused with the node that does not fit") {
  const auto problem =
      shared_data("dnn-partitioning/throughput-inputs/LayerGraphs/bert24_inference.json");
  const auto file = shared_data("dnn-partitioning/human-experts/gnmt_inference_expert.json");
  if (!problem || !file) return;
  const Problem bert = read_problem(*problem);
  CHECK_THROWS_AS(run_placer(fmt::format("expert(file={})", file->string()), bert), Error);
}
