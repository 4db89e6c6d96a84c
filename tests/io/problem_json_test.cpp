#include "berth/io/problem_json.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "berth/cost/clusters.h"
#include "berth/cost/roofline.h"
#include "berth/io/read_problem.h"
#include "tests/io/error_text.h"
#include "tests/support/fixtures.h"
#include "tests/support/shared_data.h"
#include "tests/support/shared_weights.h"

using namespace berth;

namespace {

void check_equal(const Problem& a, const Problem& b) {
  CHECK(a.name() == b.name());
  CHECK(a.graph() == b.graph());
  CHECK(a.cluster() == b.cluster());
  CHECK(a.costs() == b.costs());
  CHECK(a.constraints() == b.constraints());
  CHECK(a.model() == b.model());
}

void check_round_trip(const Problem& problem) {
  const std::string text = write_problem(problem);
  const Problem again = parse_problem(text, "again.json");
  check_equal(problem, again);
  CHECK(write_problem(again) == text);
}

const std::string kTiny = R"({"berth_problem": 1, "name": "tiny",
  "model": {"execution": "concurrent", "objective": "latency"},
  "cluster": {"devices": [{"name": "cpu", "kind": "cpu"}, {"name": "gpu", "kind": "gpu"}]},
  "nodes": [{"name": "a", "us": [9, 3]}, {"name": "b", "us": {"cpu": 4}}, {"us": 2.5}],
  "tensors": [["a", ["b", 2], 4096], {"from": "b", "to": "2", "bytes": 7, "type": "f32",
                                      "shape": [1, -1, 3]}]})";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kTiny;
  REQUIRE(text.find(from) != std::string::npos);
  text.replace(text.find(from), from.size(), to);
  return text;
}

std::string error_with(const std::string& from, const std::string& to) {
  const std::string text = with(from, to);
  return error_of([&] { parse_problem(text, "t.json"); });
}

const std::string kPlainModel = R"({"execution": "concurrent", "objective": "latency"})";

// To what is not the default.
void change(Duration& field) { field = Duration{1.0 / 3}; }
void change(double& field) { field = 1.0 / 3; }
void change(int& field) { field = 3; }
void change(bool& field) { field = true; }
void change(Overlap& field) { field = Overlap::kDuplex; }
void change(TrainingSchedule& field) { field = TrainingSchedule::kGPipe; }

}  // namespace

TEST_CASE("a problem written by hand reads as it is meant") {
  const Problem problem = parse_problem(kTiny, "t.json");
  CHECK(problem.name() == "tiny");
  const Graph& graph = problem.graph();
  REQUIRE(graph.node_count() == 3);
  CHECK(graph.node(NodeId{2}).name == "2");
  CHECK(problem.time(NodeId{0}, DeviceId{1}) == Duration{3});
  CHECK(problem.time(NodeId{1}, DeviceId{1}) == kForever);
  CHECK(problem.time(NodeId{2}, DeviceId{0}) == Duration{2.5});
  REQUIRE(graph.tensor_count() == 2);
  CHECK(graph.tensor(TensorId{0}).size == Bytes{4096});
  CHECK(graph.consumers(TensorId{0}).size() == 2);
  CHECK(graph.consumers(TensorId{1})[0] == NodeId{2});
  CHECK(graph.tensor(TensorId{1}).shape == std::vector<std::int64_t>{1, -1, 3});
  CHECK(problem.costs().transfers.source() == TransferSource::kLinks);
}

TEST_CASE("every small problem comes back the same") {
  for (const Problem& problem : fixtures::small_problems()) {
    CAPTURE(problem.name());
    check_round_trip(problem);
  }
}

TEST_CASE("random problems with all features come back the same, to the last bit") {
  Rng rng(11);
  for (int i = 0; i < 300; ++i)
    check_round_trip(fixtures::random_problem(rng, {.max_nodes = 12, .max_devices = 4}));
  for (int i = 0; i < 50; ++i)
    check_round_trip(with_shared_weights(fixtures::random_problem(rng, {.max_nodes = 12}), rng));
}

TEST_CASE("the role of a tensor is read, and a shared weight must be held by its producer") {
  const auto problem = [](const std::string& weights, const std::string& role) {
    return parse_problem(
        R"({"berth_problem": 1, "cluster": "k80x2", "nodes": [{"name": "w", "us": 0,
        "weights": )" +
            weights + R"(}, {"us": 1}, {"us": 1}],
        "tensors": [{"from": "w", "to": [1, 2], "bytes": 8, "role": ")" +
            role + "\"}]}",
        "t.json");
  };
  CHECK(problem("8", "weight").graph().is_weight(TensorId{0}));
  CHECK(problem("8", "gradient-sum").graph().adds_in_place(NodeId{0}));
  CHECK(problem("0", "value").graph().tensor(TensorId{0}).role == TensorRole::kValue);
  CHECK(error_of([&] { problem("7", "weight"); }) ==
        "t.json: node 'w': its tensors of role weight have more bytes than the 7 that it holds");
  CHECK(error_of([&] { problem("8", "wait"); }) ==
        "t.json: tensors[0].role is the string \"wait\", expected value, weight or gradient-sum");
}

TEST_CASE("odd names, infinite bandwidth, shared channels and every field come back the same") {
  const NodeId a{0}, b{1};
  GraphBuilder builder;
  builder.add_node({.name = "a \"quoted\" \\ \n\t\x01 name",
                    .alias = "17",
                    .op_type = "Convolution",
                    .flops = 1e29 / 3,
                    .weights = Bytes{123456789012345},
                    .workspace = Bytes{1},
                    .frequency = 0.1,
                    .pass = Pass::kForward,
                    .group = 0});
  builder.add_node({.name = "\xc3\xa4\xe2\x82\xac", .pass = Pass::kBackward, .group = 0});
  builder.add_use(builder.add_tensor(a, {.size = Bytes{1}, .shape = {0, 5}, .element_type = "f16"}),
                  b);
  builder.add_tensor(b, {.size = Bytes{2}, .shape = {}, .element_type = "f32"});
  Cluster cluster({{.name = "x",
                    .kind = DeviceKind::kNpu,
                    .memory = Bytes{0},
                    .flops_per_second = 0.1,
                    .bytes_per_second = 1e9 / 3,
                    .launch = Duration{1.0 / 3}},
                   {.name = "y", .kind = DeviceKind::kCpu},
                   {.name = "z"}});
  cluster.set_link_speed(DeviceId{0}, DeviceId{1}, Duration{0.1}, 1e9 / 7);
  cluster.set_uncontended();
  const ChannelId unused = cluster.add_channel("unused"), bus = cluster.add_channel("bus");
  cluster.set_link_channels(DeviceId{0}, DeviceId{1}, {bus, unused});
  NodeTimes times(2, 3, Duration{1.0 / 3});
  times.set(a, DeviceId{1}, kForever);
  const Constraints constraints{.pin = {{b, DeviceId{2}}},
                                .forbid = {{a, DeviceId{1}}, {b, DeviceId{0}}},
                                .together = {{a, b}},
                                .apart = {{b}}};
  const MaxLoad model{.route = Route::kHost,
                      .overlap = Overlap::kDuplex,
                      .training = TrainingSchedule::kGPipe,
                      .microbatches = 4,
                      .contiguous = true,
                      .sync_bytes_per_second = 1e9 / 3};
  check_round_trip(
      Problem("odd", std::move(builder).build(), cluster, {times, {}}, constraints, model));
}

TEST_CASE("every execution comes back the same, plain and with each of its fields changed") {
  const Problem problem = parse_problem(kTiny, "t.json");
  for (const NamedExecution& named : named_executions()) {
    CAPTURE(described(named.model));
    ExecutionModel model(named.model, 3);
    check_round_trip(problem.with_model(named.model));
    check_round_trip(problem.with_model(model));
    visit_fields(model.execution, [](std::string_view, auto& field) { change(field); });
    check_round_trip(problem.with_model(model));
  }
}

TEST_CASE("the words of a model may stand behind its fields, and what is left out is plain") {
  const auto model_of = [](const std::string& model) {
    return parse_problem(with(kPlainModel, model), "t.json").model();
  };
  CHECK(model_of("{}") == Concurrent{});
  CHECK(model_of(R"({"execution": "call"})") == CallLatency{});
  CHECK(model_of(R"({"pieces": 2, "max_subgraphs": 4, "execution": "call"})") ==
        ExecutionModel(CallLatency{.pieces = 2}, 4));
  CHECK(model_of(R"({"overlap": "max", "execution": "call", "objective": "throughput"})") ==
        MaxLoad{.route = Route::kHost, .overlap = Overlap::kMax});
}

TEST_CASE("a field of another model is refused with the fields that this one has") {
  const auto model_error = [](const std::string& model) { return error_with(kPlainModel, model); };
  CHECK(model_error(R"({"execution": "call", "pieces": 2, "contiguous": true})") ==
        "t.json: model.contiguous: means nothing for latency with call execution, expected one of: "
        "execution, objective, max_subgraphs, pieces");
  CHECK(model_error(R"({"execution": "pipeline", "objective": "throughput", "pieces": 2})") ==
        "t.json: model.pieces: means nothing for throughput with pipeline execution, expected one "
        "of: execution, objective, max_subgraphs, overlap, training_schedule, microbatches, "
        "contiguous");
  CHECK(model_error(R"({"subgraph_overhead_us": 0})") ==
        "t.json: model.subgraph_overhead_us: means nothing for latency with concurrent execution, "
        "expected one of: execution, objective, max_subgraphs");
  CHECK(model_error(R"({"execution": "call", "pieces": 2, "pieces": 2})") ==
        "t.json: model.pieces: is given twice, expected once");
  CHECK(model_error(R"({"execution": "call", "pieces": 0})") ==
        "t.json: model.pieces is the number 0, expected an integer from 1 to 1048576");
}

TEST_CASE("an execution without the objective asked for is refused with what there is") {
  const auto model_error = [](const std::string& model) { return error_with(kPlainModel, model); };
  CHECK(model_error(R"({"objective": "throughput"})") ==
        "t.json: model: concurrent execution has no throughput, expected latency, or throughput "
        "with sequential, call, pipeline or pieces execution");
  CHECK(model_error(R"({"execution": "pipeline"})") ==
        "t.json: model: pipeline execution has no latency, expected throughput, or latency with "
        "concurrent, sequential, call or pieces execution");
  CHECK(model_error(R"({"execution": "parallel"})") ==
        "t.json: model.execution is the string \"parallel\", expected one of: concurrent, "
        "sequential, call, pipeline, pieces");
  CHECK(model_error(R"({"execution": "call", "objective": 1})") ==
        "t.json: model.objective is the number 1, expected one of: latency, throughput");
}

TEST_CASE("imported files come back the same") {
  for (const std::string name :
       {"moirai/example-1.json", "moirai/GoogLeNet.json", "Doppler/gdp_ffnn_192nodes.txt",
        "pipedream/gnmt.graph.txt",
        "dnn-partitioning/throughput-inputs/OperatorGraphs/bert_l-3_training.json"}) {
    const auto path = shared_data(name);
    if (!path) return;
    CAPTURE(name);
    // moirai takes four devices or none.
    const bool needs_devices = name.starts_with("pipedream");
    check_round_trip(
        read_problem(*path, {.cluster = needs_devices ? built_in_cluster("v100x4") : std::nullopt,
                             .training = needs_devices}));
  }
}

TEST_CASE("nodes without times are estimated, and cannot be without the speeds of devices") {
  CHECK(error_with("\"us\": [9, 3]", "\"flops\": 5") ==
        "t.json: nodes[0] has no times (us), and device cpu has no flops_per_second and "
        "bytes_per_second, expected both to estimate the times of operators");
  const std::string text = R"({"berth_problem": 1, "cluster": "cpu+gpu",
    "nodes": [{"name": "a", "flops": 1e9, "weights": 1000}, {"name": "b", "us": 7}]})";
  const Problem problem = parse_problem(text, "folder/est.json");
  CHECK(problem.name() == "est");
  CHECK(problem.time(NodeId{0}, DeviceId{1}) ==
        roofline_times(problem.graph(), problem.cluster())(NodeId{0}, DeviceId{1}));
  CHECK(problem.time(NodeId{1}, DeviceId{0}) == Duration{7});
}

TEST_CASE("given devices with the same names keep the times; others are estimated") {
  Cluster faster({{.name = "cpu", .kind = DeviceKind::kCpu, .memory = Bytes{5}},
                  {.name = "gpu", .kind = DeviceKind::kGpu}});
  faster.set_link_speed(DeviceId{0}, DeviceId{1}, Duration{1}, 5e9);
  const Problem same = parse_problem(kTiny, "t.json", {.cluster = faster});
  CHECK(same.cluster() == faster);
  CHECK(same.time(NodeId{0}, DeviceId{1}) == Duration{3});
  const Problem other = parse_problem(kTiny, "t.json", {.cluster = built_in_cluster("k80x4")});
  CHECK(other.costs().times == roofline_times(other.graph(), other.cluster()));
  const Problem free = parse_problem(kTiny, "t.json", {.cluster = faster, .ignore_memory = true});
  CHECK(!free.cluster().device(DeviceId{0}).memory);
}

TEST_CASE("mistakes in a problem file are named with their place") {
  CHECK(error_with("\"berth_problem\": 1", "\"berth_problem\": 2") ==
        "t.json: berth_problem is the number 2, expected 1, the version that this berth reads");
  CHECK(error_with("\"us\": [9, 3]", "\"us\": [9]") ==
        "t.json: nodes[0].us: has 1 entries, expected 2, one per device");
  CHECK(error_with("{\"cpu\": 4}", "{\"cqu\": 4}") ==
        "t.json: nodes[1].us.cqu: is not a device of the cluster");
  CHECK(error_with("\"us\": 2.5", "\"us\": -1")
            .starts_with("t.json: nodes[2].us is the number -1, "));
  CHECK(error_with("\"us\": 2.5", "\"us\": \"2.5\"")
            .starts_with("t.json: nodes[2].us is the string \"2.5\", "));
  CHECK(error_with("\"us\": 2.5", "\"us\": 1e308")
            .find("expected a time in microseconds from 0 to 1e+18") != std::string::npos);
  CHECK(
      error_with("\"us\": 2.5", "\"uss\": 2.5")
          .starts_with(
              "t.json: nodes[2] has an unknown field \"uss\", expected one of: name, id, op, us"));
  CHECK(error_with("\"us\": 2.5", "\"us\": 2.5, \"us\": 3") ==
        "t.json: nodes[2] has the field \"us\" twice, expected once");
  CHECK(error_with("[\"b\", 2]", "[\"b\", 3]") ==
        "t.json: tensors[0][1][1] is the number 3, expected an integer from 0 to 2");
  CHECK(error_with("[\"b\", 2]", "[\"b\", \"c\"]") ==
        "t.json: tensors[0][1][1] is the string \"c\", expected the name of a node");
  CHECK(error_with("\"from\": \"b\", \"to\": \"2\"", "\"from\": \"b\", \"to\": \"a\"")
            .find("cycle") != std::string::npos);
  CHECK(error_with("4096]", "4096, 5]").find("tensors[1] has no time (us)") != std::string::npos);
  CHECK(error_with("4096]", "1e30]")
            .starts_with("t.json: tensors[0][2] is the number 1e+30, expected a size"));
  const auto error_in = [](const std::string& rest) {
    return error_of([&] { parse_problem(R"({"berth_problem": 1, )" + rest, "t.json"); });
  };
  CHECK(error_in(
            R"("cluster": "k80x2", "nodes": [{"name": "a", "us": 1}, {"name": "a", "us": 1}]})") ==
        "t.json: two nodes are named 'a': names must be unique");
  CHECK(error_in(R"("cluster": "k80x2", "nodes": []})") ==
        "t.json: nodes: is empty, expected at least one node");
  CHECK(error_in(R"("cluster": "k80x3", "nodes": [{}]})")
            .starts_with("t.json: cluster is the string \"k80x3\", expected devices, or one of: "
                         "cpu+gpu, k80x2"));
  CHECK(
      error_in(R"("cluster": {"devices": [{"name": "d", "count": 1000000000}]}, "nodes": [{}]})") ==
      "t.json: cluster.devices[0].count is the number 1000000000, expected an integer from 1 to "
      "200");
  CHECK(error_of([] {
          parse_problem(R"({"berth_problem": 1, "nodes": [{"us": 1}]})", "t.json");
        }) == "t.json: has no cluster, expected one in the file or given with --devices");
}

TEST_CASE("a cut, torn or hostile file is an error, never a partial problem") {
  for (std::size_t length = 0; length < kTiny.size(); ++length)
    CHECK_THROWS_AS(parse_problem(kTiny.substr(0, length), "t.json"), Error);
  const auto error = [](const std::string& text) {
    return error_of([&] { parse_problem(text, "t.json"); });
  };
  CHECK(error("") == "t.json: is empty, expected a problem");
  CHECK(error("{\"a\": 1,\n \"b\": }").starts_with("t.json: line 2, column 7 is not valid JSON"));
  CHECK(error("{\"a\": [1, 2").starts_with("t.json: ends too early at line 1, column 12"));
  CHECK(error("{\"a\": 1e999}").find("number") != std::string::npos);
  CHECK(error("{\"a\": 99999999999999999999999}").find("number") != std::string::npos);
  CHECK(error("{\"a\": \"\xff\"}") == "t.json: is not valid UTF-8, expected JSON");
  CHECK(error(std::string(100000, '[')).find("t.json: ") == 0);
  CHECK(error("{\"a\":" + std::string(1000, '[') + std::string(1000, ']') + "}")
            .find("deeper than 64") != std::string::npos);
  CHECK(error("{\"devices\": []}").starts_with("t.json: looks like a devices file"));
  CHECK(error("{\"placement\": {}}").starts_with("t.json: looks like a placement"));
  CHECK(error("[1]") ==
        "t.json: the document is a list, expected an object, as in every problem file");
  CHECK(error("PK\x03\x04").starts_with("t.json: line 1 is \"PK??\", expected a problem"));
}

TEST_CASE("a byte order mark and Windows line ends do no harm") {
  std::string text = "\xef\xbb\xbf";
  for (const char c : kTiny) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  check_equal(parse_problem(text, "t.json"), parse_problem(kTiny, "t.json"));
}

TEST_CASE("sizes that would overflow when added up are refused") {
  std::string nodes;
  for (int i = 0; i < 5; ++i)
    nodes += std::string(i == 0 ? "" : ",") + R"({"us": 1, "weights": 4503599627370496})";
  CHECK(error_of([&] {
          parse_problem(R"({"berth_problem": 1, "cluster": "k80x2", "nodes": [)" + nodes + "]}",
                        "t.json");
        }).find("add up to 2.25e+16 bytes") != std::string::npos);
}

TEST_CASE("formats are told apart by content") {
  const auto complaint = [](const std::string& text) {
    return error_of([&] { parse_problem(text, "f"); });
  };
  CHECK(complaint(kTiny) == "no error");
  CHECK(complaint("{\"maxFPGAs\": 1}").find("no field \"maxCPUs\"") != std::string::npos);
  CHECK(complaint("{\"device_memory\": []}").find("no field \"devices\"") != std::string::npos);
  CHECK(complaint("\n node1 -- Input -- x").find("pipedream profile") != std::string::npos);
  CHECK(complaint("112\r\n0,1").find("a line of edge sources") != std::string::npos);
}
