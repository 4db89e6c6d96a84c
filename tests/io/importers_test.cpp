#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "berth/cost/clusters.h"
#include "berth/io/placement_json.h"
#include "berth/io/read_problem.h"
#include "tests/io/error_text.h"
#include "tests/support/shared_data.h"

using namespace berth;

namespace {

double single_device_ms(const Problem& problem, DeviceId device) {
  Duration sum{0};
  for (const NodeId node : problem.graph().nodes()) sum += problem.time(node, device);
  return in_milliseconds(sum);
}

NodeId node_named(const Problem& problem, const std::string& name) {
  for (const NodeId node : problem.graph().nodes())
    if (problem.graph().node(node).name == name) return node;
  FAIL("no node " << name);
  return NodeId{0};
}

Duration time_on(const Problem& problem, const std::string& node, const std::string& device) {
  return problem.time(node_named(problem, node), problem.cluster().find(device).value());
}

std::vector<std::string> consumer_names(const Problem& problem, TensorId tensor) {
  std::vector<std::string> names;
  for (const NodeId node : problem.graph().consumers(tensor))
    names.push_back(problem.graph().node(node).name);
  return names;
}

}  // namespace

TEST_SUITE("dnn-partitioning") {
  // a --1--> b, a --1--> c, a --2--> d (an odd edge); c cannot run on an accelerator.
  const std::string kSmall = R"({"maxSizePerFPGA": 100.9, "maxFPGAs": 2, "maxCPUs": 1, "nodes": [
    {"id": 7, "name": "a", "supportedOnFpga": 1, "cpuLatency": 10, "fpgaLatency": 1,
     "isBackwardNode": 0, "colorClass": 3, "size": 5.5, "layerId": 9},
    {"id": 8, "name": "b", "supportedOnFpga": true, "cpuLatency": 20, "fpgaLatency": 2,
     "isBackwardNode": true, "colorClass": 3, "size": 6},
    {"id": 9, "name": "c", "supportedOnFpga": false, "cpuLatency": 30, "fpgaLatency": 3,
     "isBackwardNode": 0},
    {"id": 10, "name": "d", "supportedOnFpga": 1, "cpuLatency": 40, "fpgaLatency": 4,
     "isBackwardNode": 0, "colorClass": null, "size": 8}],
    "edges": [{"sourceId": 7, "destId": 8, "cost": 1, "size": 64},
              {"sourceId": 7, "destId": 9, "cost": 1.0000001, "size": 32},
              {"sourceId": 7, "destId": 10, "cost": 2, "size": 16}], "other": 1})";

  TEST_CASE("devices, times, sizes, colours and odd edges are read as the format means them") {
    const Problem problem = parse_problem(kSmall, "dir/small.json");
    CHECK(problem.name() == "small");
    CHECK(problem.model() == MaxLoad{.route = Route::kHost});
    REQUIRE(problem.device_count() == 3);
    CHECK(problem.cluster().device(DeviceId{0}).name == "acc0");
    CHECK(problem.cluster().device(DeviceId{0}).memory == Bytes{100});  // a limit rounds down
    CHECK(problem.cluster().device(DeviceId{2}).name == "cpu0");
    CHECK(problem.cluster().device(DeviceId{2}).is_host());
    CHECK(!problem.cluster().device(DeviceId{2}).memory);

    const Graph& graph = problem.graph();
    CHECK(graph.node(NodeId{0}).alias == "7");
    CHECK(graph.node(NodeId{0}).weights == Bytes{6});  // a need rounds up
    CHECK(graph.node(NodeId{1}).pass == Pass::kBackward);
    CHECK(problem.unit_of(NodeId{0}) == problem.unit_of(NodeId{1}));
    CHECK(problem.unit_of(NodeId{2}) != problem.unit_of(NodeId{3}));
    CHECK(time_on(problem, "a", "acc1") == milliseconds(1));
    CHECK(time_on(problem, "a", "cpu0") == milliseconds(10));
    CHECK(time_on(problem, "c", "acc0") == kForever);

    // Costs 1 and 1.0000001 agree to 1e-6; 2 is a tensor of its own.
    REQUIRE(graph.tensor_count() == 2);
    CHECK(consumer_names(problem, TensorId{0}) == std::vector<std::string>{"b", "c"});
    CHECK(consumer_names(problem, TensorId{1}) == std::vector<std::string>{"d"});
    CHECK(problem.transfer(TensorId{1}, DeviceId{0}, DeviceId{2}) == milliseconds(2));
    CHECK(graph.tensor(TensorId{0}).size == Bytes{64});
  }

  TEST_CASE("ids are names when names are missing or repeat") {
    std::string text = kSmall;
    text.replace(text.find("\"b\""), 3, "\"a\"");
    const Problem problem = parse_problem(text, "small.json");
    CHECK(problem.graph().node(NodeId{0}).name == "7");
    CHECK(problem.graph().node(NodeId{0}).alias.empty());
  }

  TEST_CASE("mistakes are named with their place") {
    const auto with = [&](const std::string& from, const std::string& to) {
      std::string text = kSmall;
      text.replace(text.find(from), from.size(), to);
      return error_of([&] { parse_problem(text, "f.json"); });
    };
    CHECK(with("\"id\": 8", "\"id\": 7") ==
          "f.json: nodes[1].id: 7 is the id of an earlier node too, expected unique ids");
    CHECK(with("\"destId\": 9", "\"destId\": 99") ==
          "f.json: edges[1].destId is the number 99, expected the id of a node");
    CHECK(with("\"cpuLatency\": 20", "\"cpuLatency\": \"20\"")
              .starts_with("f.json: nodes[1].cpuLatency is the string \"20\", expected a time in "
                           "milliseconds"));
    CHECK(with("\"cpuLatency\": 20", "\"cpuLatency\": -1")
              .find("nodes[1].cpuLatency is the number -1") != std::string::npos);
    CHECK(with("\"maxFPGAs\": 2", "\"maxFPGAs\": 1e9")
              .find("maxFPGAs is the number 1000000000, "
                    "expected an integer from 0 to") != std::string::npos);
    CHECK(with("\"destId\": 10", "\"destId\": 7").find("cycle") != std::string::npos);
    CHECK(with("\"edges\"", "\"ages\"") ==
          "f.json: the document has no field \"edges\", expected one");
  }

  TEST_CASE("all published inputs have their published sizes") {
    const std::vector<std::tuple<std::string, std::size_t, std::size_t>> inputs{
        {"throughput-inputs/LayerGraphs/bert24_inference", 32, 55},
        {"throughput-inputs/LayerGraphs/bert24_training", 64, 110},
        {"throughput-inputs/LayerGraphs/gnmt_inference", 96, 122},
        {"throughput-inputs/LayerGraphs/inceptionv3_training", 652, 726},
        {"throughput-inputs/LayerGraphs/resnet50_training", 354, 386},
        {"throughput-inputs/OperatorGraphs/bert_L-12_training", 2012, 2751},
        {"throughput-inputs/OperatorGraphs/bert_l-3_training", 600, 817},
        {"throughput-inputs/OperatorGraphs/bert_l-6_training", 1071, 1462},
        {"throughput-inputs/OperatorGraphs/resnet50_training", 1243, 1806},
        {"latency-inputs/LayerGraphs/inceptionv3_inference", 326, 363},
        {"latency-inputs/OperatorGraphs/bert_l-12_inference", 783, 843},
    };
    for (const auto& [name, nodes, edges] : inputs) {
      const auto path = shared_data("dnn-partitioning/" + name + ".json");
      if (!path) return;
      const Problem problem = read_problem(*path);
      CAPTURE(name);
      CHECK(problem.graph().node_count() == nodes);
      CHECK(problem.graph().edge_count() == edges);
      // No input has odd edges: one tensor per node with successors.
      for (const NodeId node : problem.graph().nodes())
        CHECK(problem.graph().outputs(node).size() ==
              (problem.graph().successors(node).empty() ? 0 : 1));
    }
  }

  TEST_CASE("everything on one accelerator takes the published sum") {
    const auto path =
        shared_data("dnn-partitioning/throughput-inputs/LayerGraphs/bert24_inference.json");
    if (!path) return;
    const Problem problem = read_problem(*path);
    CHECK(single_device_ms(problem, DeviceId{0}) == doctest::Approx(92.406).epsilon(1e-5));
    CHECK(problem.device_count() == 7);
    CHECK(problem.cluster().device(DeviceId{0}).memory == Bytes{17185374208});
    const Problem unlimited = read_problem(*path, {.ignore_memory = true});
    CHECK(!unlimited.cluster().device(DeviceId{0}).memory);
  }

  TEST_CASE("the experts' splits read, and training follows from inference by colour") {
    for (const std::string name : {"bert24", "gnmt", "inceptionv3", "resnet50"})
      for (const std::string mode : {"inference", "training"}) {
        if (name == "gnmt" && mode == "training") continue;
        const auto input = shared_data("dnn-partitioning/throughput-inputs/LayerGraphs/" + name +
                                       "_" + mode + ".json");
        const auto split =
            shared_data("dnn-partitioning/human-experts/" + name + "_inference_expert.json");
        if (!input || !split) return;
        const Problem problem = read_problem(*input);
        const Placement placement = read_placement(*split, problem);
        CAPTURE(name + " " + mode);
        CHECK(!broken_rule(problem, placement));
      }
  }
}

TEST_SUITE("moirai") {
  const std::string kSmall = R"({"devices": 2, "device_memory": [14.5, 15], "nodes": [
    {"id": 0, "time": [1, 2], "mem": 1.5}, {"id": 5, "time": [3, 4], "mem": 0},
    {"id": 6, "time": [5, 6], "mem": 7}, {"id": 9, "time": [0.5, 0], "mem": 0}],
    "edges": [{"src": 0, "dst": 5, "comm": [[0, 1.5], [2.5, 0]]},
              {"src": 0, "dst": 6, "comm": [[0, 1.5], [2.5, 0]]},
              {"src": 0, "dst": 9, "comm": null}]})";

  TEST_CASE("equal out-edges are one tensor; times are per pair and links never contended") {
    const Problem problem = parse_problem(kSmall, "m.json");
    CHECK(problem.model() == Concurrent{});
    CHECK(problem.cluster().channel_count() == 0);
    CHECK(problem.cluster().device(DeviceId{0}).memory == Bytes{14});
    CHECK(problem.graph().node(NodeId{0}).weights == Bytes{2});
    CHECK(problem.graph().node(NodeId{1}).name == "5");
    REQUIRE(problem.graph().tensor_count() == 2);
    CHECK(consumer_names(problem, TensorId{0}) == std::vector<std::string>{"5", "6"});
    CHECK(problem.transfer(TensorId{0}, DeviceId{0}, DeviceId{1}) == milliseconds(1.5));
    CHECK(problem.transfer(TensorId{0}, DeviceId{1}, DeviceId{0}) == milliseconds(2.5));
    CHECK(problem.transfer(TensorId{1}, DeviceId{0}, DeviceId{1}) == milliseconds(0));
    CHECK(time_on(problem, "6", "dev1") == milliseconds(6));
  }

  TEST_CASE("a cluster of another size is refused") {
    CHECK(error_of([&] {
            parse_problem(kSmall, "m.json", {.cluster = built_in_cluster("k80x4")});
          }) == "m.json: has times for 2 devices, but 4 were given with --devices");
    CHECK(parse_problem(kSmall, "m.json", {.cluster = built_in_cluster("k80x2")})
              .cluster()
              .device(DeviceId{0})
              .name == "gpu0");
  }

  TEST_CASE("the published inputs have their sizes and single-device makespans") {
    struct Row {
      const char* name;
      std::size_t nodes, edges;
      std::vector<double> single;
    };
    // Sums of the README, to its two digits.
    const std::vector<Row> rows{{"example-1", 14, 19, {65, NAN, NAN}},
                                {"GoogLeNet", 141, 167, {2.34, 5.48, 5.55, 2.88}},
                                {"inceptionv4", 491, 545, {13.75, 33.83, 531.61, 15.16}},
                                {"transformer", 1374, 1820, {29.63, 76.44, 584.47, 22.69}}};
    for (const Row& row : rows) {
      const auto path = shared_data(std::string("moirai/") + row.name + ".json");
      if (!path) return;
      const Problem problem = read_problem(*path);
      CAPTURE(row.name);
      CHECK(problem.graph().node_count() == row.nodes);
      CHECK(problem.graph().edge_count() == row.edges);
      REQUIRE(problem.device_count() == row.single.size());
      for (std::size_t d = 0; d < row.single.size(); ++d)
        if (!std::isnan(row.single[d]))
          CHECK(std::abs(single_device_ms(problem, static_cast<DeviceId>(d)) - row.single[d]) <
                0.0051);
    }
  }
}

TEST_SUITE("pipedream") {
  const std::string kSmall =
      "node1 -- Input0 -- forward_compute_time=0.000, backward_compute_time=0.000, "
      "activation_size=0.0, parameter_size=0.000\r\n"
      "node2 -- LSTM(2048, -- 1024) -- forward_compute_time=3.0, backward_compute_time=5.0, "
      "activation_size=[600.0; 10.5; 1], parameter_size=50.000\n"
      "\n"
      "node3 -- Linear -- forward_compute_time=1.0, backward_compute_time=2.0, "
      "activation_size=40, parameter_size=8\n"
      "\tnode1 -- node2\n"
      "\tnode2 -- node3";

  TEST_CASE("layers, lists of activations and edges") {
    const Problem problem =
        parse_problem(kSmall, "p.graph.txt", {.cluster = built_in_cluster("cpu+gpu")});
    CHECK(problem.name() == "p.graph");
    REQUIRE(problem.graph().node_count() == 3);
    CHECK(problem.graph().edge_count() == 2);
    CHECK(problem.graph().node(NodeId{1}).op_type == "LSTM");
    CHECK(problem.graph().node(NodeId{1}).weights == Bytes{50});
    CHECK(problem.graph().tensor(TensorId{1}).size == Bytes{600 + 11 + 1});
    CHECK(time_on(problem, "node2", "gpu") == milliseconds(3));
    CHECK(time_on(problem, "node2", "cpu") == kForever);
    CHECK(problem.model() == MaxLoad{.route = Route::kLinks});
  }

  TEST_CASE("slower accelerators take longer by the ratio of peaks") {
    const Cluster cluster({{.name = "fast", .kind = DeviceKind::kGpu, .flops_per_second = 4e12},
                           {.name = "slow", .kind = DeviceKind::kGpu, .flops_per_second = 1e12},
                           {.name = "unknown", .kind = DeviceKind::kNpu}});
    const Problem problem = parse_problem(kSmall, "p.txt", {.cluster = cluster});
    CHECK(time_on(problem, "node2", "fast") == milliseconds(3));
    CHECK(time_on(problem, "node2", "slow") == milliseconds(12));
    CHECK(time_on(problem, "node2", "unknown") == milliseconds(3));
    const Cluster cpus(
        {{.name = "c0", .kind = DeviceKind::kCpu}, {.name = "c1", .kind = DeviceKind::kCpu}});
    CHECK(time_on(parse_problem(kSmall, "p.txt", {.cluster = cpus}), "node2", "c1") ==
          milliseconds(3));
  }

  TEST_CASE("training mirrors the graph, and each backward node stays with its forward node") {
    const Problem problem =
        parse_problem(kSmall, "p.txt", {.cluster = built_in_cluster("k80x2"), .training = true});
    const Graph& graph = problem.graph();
    REQUIRE(graph.node_count() == 6);
    CHECK(problem.is_training());
    CHECK(problem.unit_count() == 3);
    CHECK(time_on(problem, "node2grad", "gpu1") == milliseconds(5));
    const NodeId grad2 = node_named(problem, "node2grad"), grad3 = node_named(problem, "node3grad");
    CHECK(std::ranges::count(graph.successors(grad3), grad2) == 1);
    CHECK(std::ranges::count(graph.successors(node_named(problem, "node2")), grad2) == 1);
    // The gradient that node3 sends back is as large as what it received from node2.
    REQUIRE(graph.outputs(grad3).size() == 1);
    CHECK(graph.tensor(graph.outputs(grad3)[0]).size == Bytes{612});
    CHECK(graph.node(grad2).weights == Bytes{0});
  }

  TEST_CASE("mistakes are named with their line") {
    const ReadOptions options{.cluster = built_in_cluster("k80x2")};
    const auto with = [&](const std::string& from, const std::string& to) {
      std::string text = kSmall;
      text.replace(text.find(from), from.size(), to);
      return error_of([&] { parse_problem(text, "p.txt", options); });
    };
    CHECK(error_of([&] { parse_problem(kSmall, "p.txt"); }) ==
          "p.txt: is a pipedream profile, which has no devices, expected them with --devices");
    CHECK(with("\tnode2 -- node3", "\tnode2 -- node4")
              .starts_with("p.txt: line 6: \"node4\" is not a node"));
    CHECK(with("backward_compute_time=5.0", "backward_compute_time=nan") ==
          "p.txt: line 2: backward_compute_time is \"nan\", expected a number");
    CHECK(with("parameter_size=8", "parameter_size=-8")
              .starts_with("p.txt: line 4: parameter_size is \"-8\""));
    CHECK(with(", parameter_size=8", "") == "p.txt: line 4: has no parameter_size, expected one");
    CHECK(with("node3 -- Linear", "node2 -- Linear") ==
          "p.txt: line 4: names \"node2\" again, expected unique names");
    CHECK(with("\tnode2 -- node3", "\tnode2 -- node1").find("cycle") != std::string::npos);
  }

  TEST_CASE("the published profiles have their sizes and sums") {
    struct Row {
      const char* name;
      std::size_t nodes, edges;
      double forward_ms, backward_ms, parameters_mb;
    };
    const std::vector<Row> rows{{"alexnet", 23, 23, 680.7, 40.5, 244.4},
                                {"gnmt", 48, 58, 33.5, 55.9, 775.1},
                                {"inception_v3", 326, 362, 311.0, 399.8, 108.6},
                                {"nasnetalarge", 1251, 1468, 416.1, 249.2, 369.0},
                                {"nasnetamobile", 921, 1078, 338.5, 261.4, 34.3},
                                {"resnet18", 71, 79, 581.1, 152.3, 46.8},
                                {"resnet50", 177, 193, 201.5, 260.9, 102.2},
                                {"resnet101", 347, 380, 207.7, 213.8, 178.2},
                                {"resnext50", 177, 193, 239.0, 369.0, 100.1},
                                {"resnext101", 347, 380, 249.6, 318.3, 176.7},
                                {"squeezenet1_0", 68, 76, 587.9, 172.1, 5.0},
                                {"vgg16", 41, 41, 251.9, 438.6, 553.4}};
    for (const Row& row : rows) {
      const auto path = shared_data(std::string("pipedream/") + row.name + ".graph.txt");
      if (!path) return;
      const Problem problem = read_problem(*path, {.cluster = built_in_cluster("v100x4")});
      CAPTURE(row.name);
      CHECK(problem.graph().node_count() == row.nodes);
      CHECK(problem.graph().edge_count() == row.edges);
      CHECK(std::abs(single_device_ms(problem, DeviceId{0}) - row.forward_ms) < 0.051);
      std::int64_t bytes = 0;
      for (const NodeId node : problem.graph().nodes())
        bytes += problem.graph().node(node).weights.count;
      CHECK(std::abs(static_cast<double>(bytes) * 1e-6 - row.parameters_mb) < 0.051);
      const Problem training =
          read_problem(*path, {.cluster = built_in_cluster("v100x4"), .training = true});
      CHECK(training.graph().node_count() == 2 * row.nodes);
      CHECK(training.graph().edge_count() == 2 * row.edges + row.nodes);
      CHECK(std::abs(single_device_ms(training, DeviceId{0}) - row.forward_ms - row.backward_ms) <
            0.11);
    }
  }
}

TEST_SUITE("Doppler") {
  // Five vertices counted, two of them inputs of the model: three cost lines.
  const std::string kSmall =
      "5\n0, 1, \n0, 1, 0, \n2, 2, 1\n10000000000,5e9,matmul\n0,0, add\n1,2\n";

  TEST_CASE("vertices are those with cost lines; 1e10 units are a second") {
    const Problem problem = parse_problem(kSmall, "g.txt");
    REQUIRE(problem.graph().node_count() == 3);
    CHECK(problem.graph().edge_count() == 3);
    CHECK(problem.device_count() == 4);
    CHECK(time_on(problem, "0", "gpu3") == milliseconds(1000));
    CHECK(problem.graph().node(NodeId{0}).op_type == "matmul");
    CHECK(problem.graph().node(NodeId{1}).op_type == "add");
    CHECK(problem.graph().node(NodeId{2}).op_type.empty());
    CHECK(problem.transfer(TensorId{0}, DeviceId{1}, DeviceId{2}) == milliseconds(500));
    CHECK(consumer_names(problem, TensorId{0}) == std::vector<std::string>{"2", "1"});
  }

  TEST_CASE("the name of the file says eight devices, a cluster says what it has") {
    CHECK(parse_problem(kSmall, "some/8gpu_x.txt").device_count() == 8);
    CHECK(parse_problem(kSmall, "8gpu_x.txt", {.cluster = built_in_cluster("p100x2")})
              .device_count() == 2);
  }

  TEST_CASE("mistakes are named with their line") {
    const auto error = [](const std::string& text) {
      return error_of([&] { parse_problem(text, "g.txt"); });
    };
    CHECK(error("5\n0,1\n0,1,0\n2,2\n1,1\n1,1\n1,1\n") ==
          "g.txt: line 4: has 2 edge destinations, expected 3, as many as sources in line 3");
    CHECK(error("5\n0,1\n0\n2\n1,1\n1,1") ==
          "g.txt: line 6: ends the file after 2 cost lines, expected 3");
    CHECK(error("5\n0,1\n0\n3\n1,1\n1,1\n1,1") ==
          "g.txt: line 4: an edge destination is \"3\", expected an integer from 0 to 2");
    CHECK(error("5\n0,1\n0\n2\n1,1\n1,x\n1,1") ==
          "g.txt: line 6: comm_cost is \"x\", expected a number");
    CHECK(error("5\n0,1\n0\n2\n1,1\n1,1\n1,1\n1,1") ==
          "g.txt: line 8: is one cost line too many, expected 3 after the edges");
    CHECK(error("2\n0,1\n0\n").find("expected fewer than the 2 vertices") != std::string::npos);
    CHECK(error("99999999999999999999\n").find("expected an integer from 0 to") !=
          std::string::npos);
  }

  TEST_CASE("the published graphs read, with and without op types") {
    struct Row {
      const char* name;
      std::size_t nodes, edges, devices;
    };
    const std::vector<Row> rows{{"8gpu_transformer_block", 356 - 54, 398, 8},
                                {"chain_mm_112nodes", 112 - 36, 80, 4},
                                {"gdp_chain_mm_112nodes", 112 - 36, 80, 4},
                                {"ffnn_192nodes", 192 - 12, 208, 4},
                                {"gdp_ffnn_192nodes", 192 - 12, 208, 4},
                                {"full_transformer_layer_261nodes", 261 - 32, 284, 4},
                                {"gdp_full_transformer_layer_261nodes", 261 - 32, 284, 4}};
    for (const Row& row : rows) {
      const auto path = shared_data(std::string("Doppler/") + row.name + ".txt");
      if (!path) return;
      const Problem problem = read_problem(*path);
      CAPTURE(row.name);
      CHECK(problem.graph().node_count() == row.nodes);
      CHECK(problem.graph().edge_count() == row.edges);
      CHECK(problem.device_count() == row.devices);
    }
    // The stray comma in one file reads as the edge 1 -> 6 that it spells.
    const Problem odd = read_problem(*shared_data("Doppler/chain_mm_112nodes.txt"));
    CHECK(consumer_names(odd, TensorId{1}) == std::vector<std::string>{"6"});
    const Problem right = read_problem(*shared_data("Doppler/gdp_chain_mm_112nodes.txt"));
    CHECK(consumer_names(right, TensorId{1}) == std::vector<std::string>{"16"});
  }
}
