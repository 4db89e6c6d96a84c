#include "berth/sim/simulators.h"

#include <fmt/format.h>

#include "berth/sim/call.h"
#include "berth/sim/concurrent.h"
#include "berth/sim/piece_cutter.h"
#include "berth/sim/piece_execution.h"
#include "berth/sim/replicas.h"
#include "berth/sim/sequential.h"

namespace berth {
namespace {

using Devices = std::span<const DeviceId>;
using Order = std::span<const NodeId>;

// What a simulator has: run, record, and where the model asks for it run_replicated, start_order,
// loads, beyond and broken.
struct RunSequential {
  RunSequential(const Problem& given, const Sequential& model)
      : problem(given),
        overhead(model.subgraph_overhead),
        loads(problem),
        cutter(problem.graph()) {}
  Duration run(Devices device_of, Order) {
    const Duration sum{loads.run(device_of)};
    if (overhead == Duration{0}) return sum;
    return sum + overhead * static_cast<double>(cutter.subgraphs(device_of).count() - 1);
  }
  Schedule record(Devices device_of, Order) { return sequential_schedule(problem, device_of); }

  const Problem& problem;
  Duration overhead;
  LoadEvaluator loads;
  PieceCutter cutter;
};

struct RunCalls {
  RunCalls(const Problem& given, const CallLatency& model)
      : problem(given), allowed(static_cast<std::size_t>(model.pieces)), cutter(problem.graph()) {
    for (const DeviceId device : problem.devices())
      is_host.push_back(problem.cluster().device(device).is_host());
  }
  Duration run(Devices device_of, Order) {
    return call_latency(problem, cutter.calls(device_of, is_host));
  }
  Schedule record(Devices device_of, Order) {
    return call_schedule(problem, cutter.calls(device_of, is_host));
  }
  std::vector<std::size_t> calls_of_devices(Devices device_of) {
    std::vector<std::size_t> count(problem.device_count(), 0);
    for (const DeviceId device : cutter.calls(device_of, is_host).device)
      if (!is_host[index(device)]) ++count[index(device)];
    return count;
  }
  double beyond(Devices device_of) {
    double surplus = 0;
    for (const std::size_t count : calls_of_devices(device_of))
      if (count > allowed) surplus += static_cast<double>(count - allowed);
    return surplus;
  }
  std::optional<std::string> broken(Devices device_of) {
    const std::vector<std::size_t> calls = calls_of_devices(device_of);
    for (const DeviceId device : problem.devices())
      if (calls[index(device)] > allowed)
        return fmt::format("accelerator {} runs in {} pieces, but the model allows {}",
                           problem.cluster().device(device).name, calls[index(device)], allowed);
    return std::nullopt;
  }

  const Problem& problem;
  std::size_t allowed;
  PieceCutter cutter;
  std::vector<bool> is_host;
};

struct RunLoads {
  explicit RunLoads(const Problem& given) : problem(given), loads(problem) {}
  Duration run(Devices device_of, Order) { return Duration{loads.run(device_of)}; }
  Duration run_replicated(const Placement& placement) {
    return Duration{load_objective(problem.model(), replicated_loads(problem, placement))};
  }
  // Within a period a pipeline works through a sample as concurrent execution does, calls as calls.
  Schedule record(Devices device_of, Order order) {
    if (problem.model().through_host())
      return call_schedule(problem, cut_into_pieces(problem, device_of, PieceKind::kCalls));
    return ConcurrentSimulator(problem).record(device_of, order);
  }

  const Problem& problem;
  LoadEvaluator loads;
};

using AnyRun = std::variant<ConcurrentSimulator, RunSequential, RunCalls, RunLoads, PieceSimulator>;

// One overload per model: the table.
struct RunOf {
  const Problem& problem;
  AnyRun operator()(const Concurrent&) const { return ConcurrentSimulator(problem); }
  AnyRun operator()(const Sequential& model) const { return RunSequential(problem, model); }
  AnyRun operator()(const CallLatency& model) const { return RunCalls(problem, model); }
  AnyRun operator()(const MaxLoad&) const { return RunLoads(problem); }
  AnyRun operator()(const InPieces&) const { return PieceSimulator(problem); }
};

// The same for their cost: cutting takes longer.
struct PassesOf {
  double operator()(const auto&) const { return 1; }
  double operator()(const InPieces&) const { return 5; }
};

}  // namespace

struct Simulator::State {
  explicit State(const Problem& given)
      : problem(given),
        run(std::visit(RunOf{problem}, problem.model().execution)),
        cutter(problem.graph()) {}

  // Subgraphs above the allowed number, relatively.
  double surplus_subgraphs(Devices device_of) {
    const int most = problem.model().max_subgraphs;
    if (most <= 0) return 0;
    const double count = static_cast<double>(cutter.subgraphs(device_of).count());
    return std::max(0.0, count / static_cast<double>(most) - 1.0);
  }

  // What the simulator answers; `otherwise` where it is of a model that has no such question.
  template <class Answer, class Ask>
  Answer asked(Answer otherwise, Ask ask) {
    return std::visit(
        [&](auto& simulator) -> Answer {
          if constexpr (requires { ask(simulator); })
            return ask(simulator);
          else
            return otherwise;
        },
        run);
  }

  Problem problem;
  AnyRun run;
  PieceCutter cutter;
};

Simulator::Simulator(const Problem& problem) : state_(std::make_unique<State>(problem)) {}
Simulator::~Simulator() = default;

Duration Simulator::value(Devices device_of, Order order) {
  return std::visit([&](auto& run) { return run.run(device_of, order); }, state_->run);
}

Duration Simulator::value_replicated(const Placement& placement) {
  return state_->asked(kForever, [&](auto& run) -> decltype(run.run_replicated(placement)) {
    return run.run_replicated(placement);
  });
}

Schedule Simulator::schedule(Devices device_of, Order order) {
  return std::visit([&](auto& run) { return run.record(device_of, order); }, state_->run);
}

std::vector<NodeId> Simulator::start_order(Devices device_of) {
  return state_->asked(std::vector<NodeId>{},
                       [&](auto& run) -> decltype(run.start_order(device_of)) {
                         return run.start_order(device_of);
                       });
}

std::span<const double> Simulator::loads() const {
  return state_->asked(std::span<const double>{},
                       [](auto& run) -> decltype(run.loads()) { return run.loads(); });
}

double passes_per_evaluation(const ExecutionModel& model) {
  return std::visit(PassesOf{}, model.execution);
}

double Simulator::beyond_model(Devices device_of) {
  State& s = *state_;
  double beyond = s.surplus_subgraphs(device_of);
  beyond += s.asked(
      0.0, [&](auto& run) -> decltype(run.beyond(device_of)) { return run.beyond(device_of); });
  if (s.problem.model().contiguous() && !forms_pipeline(s.problem, device_of)) beyond += 1;
  return beyond;
}

std::optional<std::string> Simulator::broken_by(Devices device_of) {
  State& s = *state_;
  if (s.problem.model().contiguous() && !forms_pipeline(s.problem, device_of))
    return fmt::format("the pieces are not contiguous: data flows back and forth between devices{}",
                       s.problem.counts_network() ? " or servers" : "");
  if (s.surplus_subgraphs(device_of) > 0)
    return fmt::format("the placement has {} subgraphs, but at most {} may be",
                       s.cutter.subgraphs(device_of).count(), s.problem.model().max_subgraphs);
  return s.asked(std::optional<std::string>{}, [&](auto& run) -> decltype(run.broken(device_of)) {
    return run.broken(device_of);
  });
}

}  // namespace berth
