// A Problem: graph + cluster + costs + constraints + how the placement will be executed.
//
// The input of every placer, immutable and cheap to copy. It answers in *effective* terms, what
// one sample costs: node and transfer times are multiplied by how often the node runs per sample.
//
// Nodes that must share a device (co-location groups of the graph, "together" constraints) form a
// unit; every node belongs to exactly one unit. Placers move units. A unit may use a device if all
// its members run there, none is forbidden there, and no member is pinned elsewhere.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/base/ids.h"
#include "berth/base/units.h"
#include "berth/cost/costs.h"
#include "berth/cost/devices.h"
#include "berth/graph/graph.h"

namespace berth {

class UnitGraph;

enum class Objective : std::uint8_t { kLatency, kThroughput };

// How a placement turns into time. The exact rule of each is in the header named.
enum class Execution : std::uint8_t {
  kConcurrent,  // sim/concurrent.h: devices run in parallel, ready nodes by priority
  kSequential,  // sim/sequential.h: subgraphs one after another, as OpenVINO HETERO does
  kCall,        // sim/call.h, sim/loads.h: accelerator calls, data through host memory
  kPipeline,    // sim/loads.h: steady-state period of a pipeline
  kPieces,  // sim/piece_execution.h: sub-models, each compiled for its device and run as a whole
};

// What of a device's work overlaps with its traffic, in load-based objectives.
enum class Overlap : std::uint8_t {
  kSum,     // load = compute + transfers
  kMax,     // load = max(compute, transfers)
  kDuplex,  // load = max(compute, transfers in, transfers out)
};

// How training pipelines order forward and backward work.
enum class TrainingSchedule : std::uint8_t {
  k1F1B,   // period = max over devices of (forward + backward)
  kGPipe,  // period = max forward + max backward
};

struct ExecutionModel {
  Execution execution = Execution::kConcurrent;
  Objective objective = Objective::kLatency;
  Duration subgraph_overhead{0};                        // sequential: per subgraph after the first
  Overlap overlap = Overlap::kSum;                      // pipeline, call throughput
  TrainingSchedule training = TrainingSchedule::k1F1B;  // pipeline, call throughput
  int microbatches = 8;              // GPipe: stashed activations, for memory only
  int pieces = 1;                    // call latency: pieces per accelerator
  bool contiguous = false;           // throughput: only contiguous pieces count
  int max_subgraphs = 0;             // in the sense of sim/pieces.h; 0: any number
  double sync_bytes_per_second = 0;  // training with replicas: between them; 0: free
  double contention = 0;             // pieces: a further busy device slows all by this

  friend bool operator==(const ExecutionModel&, const ExecutionModel&) = default;
};

// Whether devices hold tensors of several samples: throughput of pipelines and of pieces.
inline bool keeps_samples_in_flight(const ExecutionModel& model) {
  return model.execution == Execution::kPipeline ||
         (model.execution == Execution::kPieces && model.objective == Objective::kThroughput);
}

// Whether devices may share work by dividing the samples (Replica in placement.h). In pieces every
// bound counts on it; of calls, bounds and proofs speak of placements without replicas.
inline bool knows_replicas(const ExecutionModel& model) {
  return model.objective == Objective::kThroughput &&
         (model.execution == Execution::kCall || model.execution == Execution::kPieces);
}
inline bool bounds_count_replicas(const ExecutionModel& model) {
  return model.objective == Objective::kThroughput && model.execution == Execution::kPieces;
}

struct Constraints {
  struct NodeDevice {
    NodeId node;
    DeviceId device;
    friend bool operator==(const NodeDevice&, const NodeDevice&) = default;
  };
  std::vector<NodeDevice> pin;
  std::vector<NodeDevice> forbid;
  std::vector<std::vector<NodeId>> together;  // all on one device
  std::vector<std::vector<NodeId>> apart;     // no two on one device

  friend bool operator==(const Constraints&, const Constraints&) = default;
};

class Problem {
 public:
  // Throws Error when sizes do not match, a number is negative or not a number, or constraints
  // contradict each other (it names the nodes). A node that runs nowhere is not an error here.
  Problem(std::string name, Graph graph, Cluster cluster, Costs costs, Constraints constraints = {},
          ExecutionModel model = {});

  const std::string& name() const { return data_->name; }
  const Graph& graph() const { return data_->graph; }
  const Cluster& cluster() const { return data_->cluster; }
  const Costs& costs() const { return data_->costs; }
  const Constraints& constraints() const { return data_->constraints; }
  const ExecutionModel& model() const { return model_; }
  Objective objective() const { return model_.objective; }
  Execution execution() const { return model_.execution; }
  std::size_t node_count() const { return graph().node_count(); }
  std::size_t device_count() const { return cluster().device_count(); }
  IdRange<DeviceId> devices() const { return cluster().devices(); }
  bool is_training() const { return data_->is_training; }

  // Per sample: frequency x time of one run; kForever where the device cannot run the node.
  Duration time(NodeId node, DeviceId device) const {
    return Duration{data_->sample_micros[index(node) * device_count() + index(device)]};
  }
  std::span<const double> time_row(NodeId node) const {
    return {data_->sample_micros.data() + index(node) * device_count(), device_count()};
  }
  // Per sample: sending the tensor once from one device to another; zero on one device.
  Duration transfer(TensorId tensor, DeviceId from, DeviceId to) const;
  // Call model: between an accelerator and host memory; zero for a CPU.
  Duration read_from_host(TensorId tensor, DeviceId device) const;
  Duration write_to_host(TensorId tensor, DeviceId device) const;
  // Call throughput: between two servers.
  Duration over_network(TensorId tensor) const;
  bool counts_network() const {
    return model_.execution == Execution::kCall && model_.objective == Objective::kThroughput &&
           data_->has_servers;
  }

  // Whether the node's unit may use the device (support, pins and forbids of all its members).
  bool allows(NodeId node, DeviceId device) const { return unit_allows(unit_of(node), device); }

  std::size_t unit_count() const { return data_->unit_begin.size() - 1; }
  IdRange<UnitId> units() const { return IdRange<UnitId>(unit_count()); }
  UnitId unit_of(NodeId node) const { return data_->unit_of[node]; }
  std::span<const NodeId> members(UnitId unit) const {
    const Data& d = *data_;
    return {d.unit_members.data() + d.unit_begin[index(unit)],
            d.unit_members.data() + d.unit_begin[index(unit) + 1]};
  }
  bool unit_allows(UnitId unit, DeviceId device) const {
    return data_->unit_allowed[index(unit) * device_count() + index(device)] != 0;
  }
  // Sets of units of which no two may share a device.
  std::span<const std::vector<UnitId>> apart() const { return data_->apart; }
  // The first node that no device may run, if any.
  std::optional<NodeId> unplaceable() const { return data_->unplaceable; }

  // The same problem, executed or measured otherwise.
  Problem with_model(ExecutionModel model) const;
  Problem with_constraints(Constraints constraints) const;
  Problem with_cluster(Cluster cluster) const;  // same devices, other memory limits or links

 private:
  friend const UnitGraph& unit_graph(const Problem& problem);
  struct Data {
    std::string name;
    Graph graph;
    Cluster cluster;
    Costs costs;
    Constraints constraints;
    bool is_training = false;
    bool has_servers = false;  // more than one
    std::vector<double> sample_micros;
    IdVector<NodeId, UnitId> unit_of;
    std::vector<std::uint32_t> unit_begin;
    std::vector<NodeId> unit_members;
    std::vector<std::uint8_t> unit_allowed;
    std::vector<std::vector<UnitId>> apart;
    std::optional<NodeId> unplaceable;
    // Made on first use (unit_graph.h).
    mutable std::once_flag once;
    mutable std::shared_ptr<const UnitGraph> units;
  };
  Problem(std::shared_ptr<const Data> data, ExecutionModel model)
      : data_(std::move(data)), model_(model) {}

  std::shared_ptr<const Data> data_;
  ExecutionModel model_;
};

const char* to_string(Objective objective);
const char* to_string(Execution execution);
const char* to_string(Overlap overlap);
const char* to_string(TrainingSchedule schedule);

}  // namespace berth
