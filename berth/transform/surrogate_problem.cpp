#include "berth/transform/surrogate_problem.h"

namespace berth {
namespace {

double micros_per_border_byte(const Device& device) {
  return device.border_bytes_per_second > 0 ? 1e6 / device.border_bytes_per_second : 0.0;
}

TransferTimes crossing_prices(const Problem& problem) {
  const Graph& graph = problem.graph();
  const std::size_t devices = problem.device_count();
  std::vector<double> micros(graph.tensor_count() * devices * devices, 0.0);
  for (const TensorId tensor : graph.tensors()) {
    const bool image = graph.tensor(tensor).shape.size() >= 4;
    const double bytes = image ? static_cast<double>(graph.tensor(tensor).size.count) : 0.0;
    const double frequency = problem.frequency(tensor);
    problem.cluster().each_link([&](DeviceId from, DeviceId to) {
      const Device &sender = problem.cluster().device(from),
                   &receiver = problem.cluster().device(to);
      const double conversion =
          bytes * (micros_per_border_byte(sender) + micros_per_border_byte(receiver));
      // Prices are per run of the producer, transfers per sample.
      const double transfer =
          frequency > 0 ? problem.transfer(tensor, from, to).count() / frequency : 0.0;
      micros[(index(tensor) * devices + index(from)) * devices + index(to)] =
          transfer + receiver.piece_overhead.count() + conversion;
    });
  }
  return TransferTimes::per_tensor_and_pair(devices, std::move(micros));
}

}  // namespace

Problem surrogate_problem(const Problem& problem) {
  if (!problem.model().priced_by_piece()) return problem;
  Cluster cluster = problem.cluster();
  cluster.set_uncontended();
  ExecutionModel model = problem.model();
  if (problem.objective() == Objective::kLatency)
    model.execution = Concurrent{};
  else
    model.execution = MaxLoad{.route = Route::kLinks, .contiguous = model.contiguous()};
  return Problem(problem.name(), problem.graph(), std::move(cluster),
                 {problem.costs().times, crossing_prices(problem)}, problem.constraints(), model);
}

}  // namespace berth
