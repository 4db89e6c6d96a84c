// The max-load problem in its contracted form: units, nets, and the order between units.
//
// Every exact throughput method works on this. A device that holds the unit set S pays
//   load(S) = sum over S of p  +  sum of the weights of the nets that S cuts
// where a net is one tensor with its producer and consumers as pins (mapped to units), and S cuts
// it if it holds some but not all of its pins: the producer inside means a write to host memory,
// outside a read. One counter per net gives load(S + x) from load(S) in O(nets of x). Nets with one
// pin or no weight are dropped and equal ones merged.
//
// Devices fall into classes of interchangeable ones (device_classes.h).
//
// Contiguity needs an order (pipeline_order in sim/pieces.h). For the contiguous methods the units
// on a cycle of it are fused, because no chain of ideals can separate them, and units without work
// that hang on a single neighbour join it.
//
// Tarnawski et al., Efficient Algorithms for Device Placement of DNN Graph Operators, NeurIPS 2020.
#pragma once

#include <array>

#include "berth/graph/ideals.h"
#include "berth/place/load/device_classes.h"
#include "berth/placement.h"

namespace berth {

inline constexpr double kInfinity = kForever.count();

struct LoadModel {
  // Forward and backward work; all in [0] unless the schedule keeps them apart (GPipe).
  using Halves = std::array<double, 2>;

  struct Unit {
    std::vector<NodeId> nodes;
    std::int64_t bytes = 0;                    // of its weights
    std::int64_t private_bytes = 0;            // of those that are not shared
    std::int64_t workspace = 0;                // the most that one of its nodes needs while it runs
    std::vector<Halves> time;                  // by class, microseconds; infinite: not allowed
    std::vector<std::uint32_t> nets;           // those it is a pin of
    std::vector<std::uint32_t> shared;         // the shared weights that it holds or uses
    std::vector<std::uint32_t> before, after;  // direct neighbours in the order
    std::vector<std::uint32_t> apart;          // the apart sets it belongs to
  };
  struct Net {
    std::vector<std::uint32_t> pins;  // units, ascending, at least two
    std::uint32_t producer = 0;       // the unit that writes it
    std::uint8_t half = 0;
    std::vector<double> read, write;  // by price, microseconds
  };
  // Kept once by every device with a unit that holds or uses it (unit_graph.h).
  struct SharedWeight {
    std::vector<std::uint32_t> units;  // ascending, at least two
    std::int64_t bytes = 0;
  };

  // Servers with equally many devices of each class are of one kind.
  struct ServerKind {
    std::vector<std::size_t> devices;    // by class
    std::vector<std::uint32_t> servers;  // the model's
  };

  std::vector<DeviceClass> classes;  // most devices that pay first
  // Where a network between servers counts: the devices of each server by class. Otherwise empty.
  std::vector<std::vector<std::vector<DeviceId>>> servers;
  std::vector<ServerKind> server_kinds;
  std::size_t network_price = 0;  // with servers: the price that stands for the network
  std::vector<Unit> units;        // in a topological order of `before`
  std::vector<Net> nets;
  std::vector<SharedWeight> shared_weights;
  std::size_t prices = 0;
  std::size_t apart_sets = 0;
  // A stage may run on so many devices of its class, which take samples in turn. In training they
  // agree on the weights for every sample, an all-reduce: 2 (r - 1) / r of the stage's bytes.
  std::size_t replicas = 1;
  double sync_per_byte = 0;  // microseconds
  Overlap overlap = Overlap::kSum;
  bool halves_apart = false;
  // Whether these loads are the problem's own. A pipeline over point-to-point links pays every
  // receiver on its own link; there each net has its cheapest price, and results are only bounds.
  // So they are where the problem has servers and this model has not.
  bool exact = true;

  std::size_t unit_count() const { return units.size(); }
};

// What to do with zero-time units that have bytes where memory binds. Merging them loses the splits
// that park them elsewhere; merging them and forgetting their bytes relaxes the problem instead.
enum class IdleBytes : std::uint8_t { kKeepApart, kMerge, kForget };

struct LoadModelOptions {
  bool ordered = true;        // units in the order of the forward graph, cycles fused
  bool merge_trivial = true;  // with `ordered`: zero-time units with one neighbour join it
  IdleBytes idle_bytes = IdleBytes::kKeepApart;
  bool servers = false;  // with `ordered`: the network between servers too, for those who know it
};

// Of a problem whose execution model is MaxLoad.
LoadModel load_model(const Problem& problem, const LoadModelOptions& options = {});

// The order between its units alone.
UnitOrder unit_order(const LoadModel& model);

// A device for every unit of the model, as a placement.
Placement to_placement(const Problem& problem, const LoadModel& model,
                       const std::vector<DeviceId>& device_of_unit);
// The other way round: the device of each unit's first node.
std::vector<DeviceId> devices_of_units(const LoadModel& model, const Placement& placement);

}  // namespace berth
