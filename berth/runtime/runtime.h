// The contract with a backend that runs models for real: open, look, measure, execute.
//
// Everything else in berth works on a Problem. A Runtime is where a Problem comes from and where a
// Placement goes to: it opens a model file (or builds a network of the zoo) and shows it as a
// Graph, lists the devices of this machine, measures operators and links, and turns a placement
// into sub-models that run at the same time on their devices. OpenVINO's lives in a module
// (modules/module.h); `openvino_runtime` opens it on first use. Only
// berth/runtime/openvino/ and berth/zoo/ include OpenVINO's headers.
//
// A node of Model::graph() is an operator that runs; constants are folded into the weights of the
// operators that use them. What must share a device is in one co-location group. A placement for
// the graph is therefore all that an executor needs.
#pragma once

#include <filesystem>
#include <memory>

#include "berth/base/options.h"
#include "berth/io/record_file.h"
#include "berth/placement.h"

namespace berth {

// What to open, and with which shapes.
struct ModelSource {
  std::string spec;  // a path, or "zoo:NAME(key=value,...)"
  std::optional<std::int64_t> batch;
  // For inputs with dynamic shapes: input name (empty when there is just one) and its shape.
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> shapes;
  // false: only its graph is wanted. The weights of a zoo network are then zeros that take no
  // memory.
  bool values = true;
};

// "zoo:...", a file with the extension of a model, or a folder that holds a saved TensorFlow model.
bool is_model(const std::string& input);

// Throws Error when a file is no text, and so no problem, and no model either: it lists what would
// be. A file that is not there, or is called .json, is left to its reader, which says more.
void check_file_type(const std::string& input);

// `shapes` are "input=1,3,224,224", or "1,3,224,224" for the only input. Throws Error when one is
// not.
ModelSource model_source(const std::string& input, std::optional<std::int64_t> batch,
                         const std::vector<std::string>& shapes);

// A network that berth builds itself.
struct ZooNetwork {
  std::string name;  // "resnet-50": opened as "zoo:resnet-50(key=value,...)"
  std::string summary;
  std::vector<OptionHelp> options;
};

// What becomes of a weight that several operators use.
enum class SharedWeights : std::uint8_t {
  kTied,    // its users share a device: what real runs do
  kUntied,  // it is a node of its own, sent to each device that uses it
};

class Model {
 public:
  virtual ~Model() = default;
  virtual const std::string& name() const = 0;
  // What is placed; node names are the model's own (OpenVINO: friendly names).
  virtual const Graph& graph() const = 0;
  // The same with shared weights untied: its nodes in the same order, then those of the weights.
  // For simulation only. A model that shares no weights has one graph.
  virtual Graph untied_graph() const { return graph(); }
  // Every operator as the file has it, constants and conversions included: what HSDAG counts.
  virtual Graph raw_graph() const = 0;
};

// A device of this machine: a GPU, an NPU, or a group of CPU cores with threads of its own.
struct RealDevice {
  std::string name;         // "CPU0", "GPU.0": what placements say
  std::string description;  // "cores 0-3 of Intel(R) ..."
  DeviceKind kind = DeviceKind::kCpu;
  std::optional<Bytes> memory;
  std::vector<int> cores;               // CPU: the cores its threads are pinned to
  std::vector<std::string> precisions;  // that it can compute in; the first is used by default

  friend bool operator==(const RealDevice&, const RealDevice&) = default;
};

// A numeric array as a model gives it back; values are widened to double for comparison.
struct Array {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

// A piece of the model that one device runs as a unit.
struct RunningPiece {
  std::string planned_device;
  std::string executed_on;  // what the backend reports after compilation; never assumed
  std::vector<NodeId> nodes;
  bool from_cache = false;  // compiled earlier, for another placement
};

// When a piece ran, counted from the start of its request.
struct PieceSpan {
  Duration start{0}, end{0};

  friend bool operator==(const PieceSpan&, const PieceSpan&) = default;
};

// A placement ready to run. Inputs are filled once with seeded random values, the same for every
// executor of the model.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual const std::vector<RunningPiece>& pieces() const = 0;
  // One request, nothing else running: wall time from input to last output.
  virtual Duration run_once() = 0;
  // `before` requests and `samples` more without a pause, at most `in_flight` at a time: wall time
  // from the end of the former to the end of the latter, so that filling a pipeline does not count.
  // An executor that cannot tell counts it.
  virtual Duration run_many(int samples, int in_flight, int before = 0) = 0;
  // The outputs of the last request.
  virtual std::vector<Array> outputs() const = 0;
  // The same of every request that was in flight at a time: devices that share the model show their
  // own.
  virtual std::vector<std::vector<Array>> outputs_by_slot() const { return {outputs()}; }
  // When each of pieces() ran in the last request, zero for those it did not need (another device
  // has their work, too); empty where the backend does not tell.
  virtual std::vector<PieceSpan> piece_spans() const = 0;
};

// How an executor uses the devices.
enum class ExecutorKind : std::uint8_t {
  // berth's own: one worker per device, pieces start when their inputs are there.
  kConcurrent,  // pieces that delay nothing (eager_pieces in sim/pieces.h): for latency
  kPipeline,    // few large pieces (subgraph_pieces), replicas included: for throughput
  kHetero,      // OpenVINO's HETERO with an affinity on every operator
};

struct OpTimes {
  // Of one run, node-major over the devices asked for; kForever where a device cannot run the node.
  std::vector<double> micros;
  std::vector<std::vector<NodeId>> fused;  // ran as one kernel: should stay together
  int measured = 0, reused = 0;            // kernels timed now, and taken from the cache
};

// What a device does at best, measured on dense kernels: the figures of a roofline estimate.
struct DeviceSpeed {
  double flops_per_second = 0, bytes_per_second = 0;
  Duration launch{0};  // of one small operator

  friend bool operator==(const DeviceSpeed&, const DeviceSpeed&) = default;
};

// Handing a tensor from a piece on one device to a piece on another: startup + bytes / speed.
struct LinkSpeed {
  Duration startup{0};
  double bytes_per_second = 0;

  friend bool operator==(const LinkSpeed&, const LinkSpeed&) = default;
};

struct ExportedFiles {
  std::size_t pieces = 0;
  Bytes size{};
};

class Runtime {
 public:
  virtual ~Runtime() = default;

  // Throws Error when the file cannot be read or a shape is missing (it lists the inputs).
  virtual std::unique_ptr<Model> open(const ModelSource& source) = 0;

  virtual std::vector<ZooNetwork> zoo() const = 0;

  // `groups`: into how many devices the CPU's cores are divided; empty: the machine's own groups
  // (clusters of cores that share a cache), at least two when there are two cores.
  virtual std::vector<RealDevice> devices(std::optional<int> groups = std::nullopt) = 0;

  // Name and version of what does the work: measurements of another version are not comparable.
  virtual std::string version() const = 0;

  // What makes measurements on two devices alike; devices of one class are measured once.
  virtual std::string device_class(const RealDevice& device) const = 0;

  // Quick probes, a fraction of a second each.
  virtual DeviceSpeed measure_device(const RealDevice& device) = 0;
  virtual LinkSpeed measure_link(const RealDevice& from, const RealDevice& to) = 0;

  // Median times of interleaved runs. What `cache` knows is not measured again, what is measured is
  // added to it at once.
  virtual OpTimes measure_ops(const Model& model, std::span<const RealDevice> devices,
                              RecordFile& cache) = 0;

  // Cuts, compiles and wires. Placement devices index `devices`; of pieces that wait for one device
  // the earliest in the placement's order goes first, or what seems best where it has none. Throws
  // Error when a device refuses its piece, or when the piece would not run where the placement says.
  virtual std::unique_ptr<Executor> prepare(const Model& model, std::span<const RealDevice> devices,
                                            const Placement& placement, ExecutorKind kind) = 0;

  // Writes the sub-models of a placement, the wiring between them, the device of every operator and
  // an example that runs them into `folder`, which is made if it is not there. `devices` are names.
  virtual ExportedFiles export_pieces(const Model& model, std::span<const std::string> devices,
                                      const Placement& placement, ExecutorKind kind,
                                      const std::filesystem::path& folder) = 0;

  // The whole model on one device, with `streams` requests computed side by side by its threads.
  virtual std::unique_ptr<Executor> prepare_single(const Model& model, const RealDevice& device,
                                                   int streams) = 0;
};

// The OpenVINO backend. Throws Error when this build or machine has none.
Runtime& openvino_runtime();

}  // namespace berth
