// A Problem: graph + cluster + costs + constraints + how the placement will be executed.
//
// The input of every placer, immutable and cheap to copy. It answers in *effective* terms, what
// one sample costs: node and transfer times are multiplied by how often the node runs per sample.
//
// Nodes that must share a device (co-location groups of the graph, "together" constraints) form a
// unit; every node belongs to exactly one unit. Placers move units. A unit may use a device if all
// its members run there, none is forbidden there, and no member is pinned elsewhere.
#pragma once

#include <memory>
#include <mutex>

#include "berth/cost/costs.h"
#include "berth/execution_model.h"

namespace berth {

class UnitGraph;

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
  Objective objective() const { return model_.objective(); }
  // The execution model if it is this one, else null: problem.as<MaxLoad>().
  template <class Model>
  const Model* as() const {
    return model_.as<Model>();
  }
  // The execution model, which is this one.
  template <class Model>
  const Model& get() const {
    return model_.get<Model>();
  }
  std::size_t node_count() const { return graph().node_count(); }
  std::size_t device_count() const { return cluster().device_count(); }
  IdRange<DeviceId> devices() const { return cluster().devices(); }
  const std::string& node_name(NodeId node) const { return graph().node(node).name; }
  const std::string& device_name(DeviceId device) const { return cluster().device(device).name; }
  bool is_training() const { return data_->is_training; }

  // Per sample: frequency x time of one run; kForever where the device cannot run the node.
  Duration time(NodeId node, DeviceId device) const {
    return Duration{data_->sample_micros[index(node) * device_count() + index(device)]};
  }
  std::span<const double> time_row(NodeId node) const {
    return {data_->sample_micros.data() + index(node) * device_count(), device_count()};
  }
  // Runs of the tensor's producer per sample.
  double frequency(TensorId tensor) const {
    return graph().node(graph().producer(tensor)).frequency;
  }
  // Per sample: sending the tensor once from one device to another; zero on one device.
  Duration transfer(TensorId tensor, DeviceId from, DeviceId to) const;
  // Call model: between an accelerator and host memory; zero for a CPU.
  Duration read_from_host(TensorId tensor, DeviceId device) const;
  Duration write_to_host(TensorId tensor, DeviceId device) const;
  // Call throughput: between two servers.
  Duration over_network(TensorId tensor) const;
  bool counts_network() const { return model_.properties().counts_network && data_->has_servers; }

  // Whether the node's unit may use the device (support, pins and forbids of all its members).
  bool allows(NodeId node, DeviceId device) const { return unit_allows(unit_of(node), device); }

  std::size_t unit_count() const { return data_->members.size(); }
  IdRange<UnitId> units() const { return IdRange<UnitId>(unit_count()); }
  UnitId unit_of(NodeId node) const { return data_->unit_of[node]; }
  std::span<const NodeId> members(UnitId unit) const { return data_->members[unit]; }
  bool unit_allows(UnitId unit, DeviceId device) const { return data_->allows(unit, device); }
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
    IdLists<UnitId, NodeId> members;
    std::vector<std::uint8_t> unit_allowed;
    std::vector<std::vector<UnitId>> apart;
    std::optional<NodeId> unplaceable;
    // Made on first use (unit_graph.h).
    mutable std::once_flag once;
    mutable std::shared_ptr<const UnitGraph> units;

    bool allows(UnitId unit, DeviceId device) const {
      return unit_allowed[index(unit) * cluster.device_count() + index(device)] != 0;
    }
    bool is_placeable(UnitId unit) const;
    void exclude(UnitId unit, DeviceId device);
    void add_times();
    void add_units();
    void apply_forbids();
    void apply_pins();
    void add_apart_sets();
  };
  Problem(std::shared_ptr<const Data> data, ExecutionModel model)
      : data_(std::move(data)), model_(model) {}

  std::shared_ptr<const Data> data_;
  ExecutionModel model_;
};

}  // namespace berth
