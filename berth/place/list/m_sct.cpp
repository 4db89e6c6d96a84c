#include "berth/place/list/m_sct.h"

#include <algorithm>
#include <tuple>

#include "berth/graph/order.h"
#include "berth/place/list/memory_schedule.h"
#include "berth/place/list/sct_program.h"
#include "berth/solvers/milp.h"
#include "berth/transform/contract.h"

namespace berth {
namespace {

using Children = IdVector<NodeId, std::optional<NodeId>>;

class SmallCommunication {
 public:
  SmallCommunication(const Problem& problem, const Children& favourite, bool reserve)
      : problem_(problem),
        favourite_(favourite),
        machine_(problem, reserve),
        last_(problem.device_count()) {
    const std::span<const NodeId> topological = problem.graph().topological_order();
    position_ = positions({topological.begin(), topological.end()});
    for (const NodeId node : topological)
      if (machine_.is_ready(node)) ready_.push_back({node, {}, {}});
  }

  Outcome run(const Budget& budget) {
    for (std::size_t done = 0; done < problem_.node_count();) {
      if (budget.stopped() || budget.seconds_left() == 0.0) return stopped_outcome();
      refresh();
      next_event_ = kForever;
      std::optional<Candidate> least;
      for (const DeviceId device : problem_.devices()) {
        if (machine_.free(device) > now_) {
          next_event_ = std::min(next_event_, machine_.free(device));
        } else if (const std::optional<Candidate> found = candidate(device)) {
          if (!least || *found < *least) least = found;
        }
      }
      if (least) {
        execute(std::get<NodeId>(*least), std::get<DeviceId>(*least));
        ++done;
      } else if (next_event_ < kForever) {
        now_ = next_event_;
      } else {
        return {.reason = machine_.refusal(first_in_order())};
      }
    }
    return {.placement = machine_.placement()};
  }

 private:
  // A ready node with its earliest starts, brought up to date before each decision.
  struct Ready {
    NodeId node;
    std::vector<Duration> est;  // by device; kForever where it does not fit now
    Duration urgency;           // the largest est over the devices it may use
  };
  using Candidate = std::tuple<Duration, std::uint32_t, Duration, DeviceId, NodeId>;

  void refresh() {
    for (Ready& ready : ready_) {
      ready.est.assign(problem_.device_count(), kForever);
      ready.urgency = Duration{0};
      for (const DeviceId device : problem_.devices()) {
        if (!machine_.may_ever_fit(ready.node, device)) continue;
        const Duration est = machine_.est(ready.node, device);
        ready.urgency = std::max(ready.urgency, est);
        if (machine_.fits(ready.node, device)) ready.est[index(device)] = est;
      }
    }
  }

  // What the idle device would run now; otherwise the next event learns what it waits for.
  std::optional<Candidate> candidate(DeviceId device) {
    const Ready* child = awake_for(device);
    return child != nullptr ? awake_candidate(device, *child) : free_candidate(device);
  }

  // The favourite child for which the device stays awake, if any.
  const Ready* awake_for(DeviceId device) const {
    if (!last_[device] || !favourite_[*last_[device]]) return nullptr;
    const auto child = std::ranges::find(ready_, *favourite_[*last_[device]], &Ready::node);
    if (child == ready_.end()) return nullptr;
    const Duration here = child->est[index(device)];
    return here < kForever && here <= std::ranges::min(child->est) ? &*child : nullptr;
  }

  std::optional<Candidate> awake_candidate(DeviceId device, const Ready& child) {
    const Ready* urgent = nullptr;
    for (const Ready& ready : ready_) {
      if (ready.est[index(device)] == kForever) continue;
      if (ready.urgency > now_)
        next_event_ = std::min(next_event_, ready.urgency);
      else if (urgent == nullptr || std::pair(ready.urgency, position_[ready.node]) <
                                        std::pair(urgent->urgency, position_[urgent->node]))
        urgent = &ready;
    }
    return start_or_wait(device, urgent != nullptr ? *urgent : child);
  }

  std::optional<Candidate> free_candidate(DeviceId device) {
    const Ready* earliest = nullptr;
    for (const Ready& ready : ready_)
      if (ready.est[index(device)] < kForever &&
          (earliest == nullptr ||
           std::pair(ready.est[index(device)], position_[ready.node]) <
               std::pair(earliest->est[index(device)], position_[earliest->node])))
        earliest = &ready;
    if (earliest == nullptr) return std::nullopt;
    return start_or_wait(device, *earliest);
  }

  std::optional<Candidate> start_or_wait(DeviceId device, const Ready& ready) {
    const Duration start = ready.est[index(device)];
    if (start <= now_)
      return Candidate{start, position_[ready.node], start + problem_.time(ready.node, device),
                       device, ready.node};
    next_event_ = std::min(next_event_, start);
    return std::nullopt;
  }

  void execute(NodeId node, DeviceId device) {
    const MemorySchedule::Changes changes = machine_.run(node, device);
    last_[device] = node;
    std::erase_if(ready_, [&](const Ready& ready) { return ready.node == node; });
    for (const NodeId next : changes.ready) ready_.push_back({next, {}, {}});
  }

  NodeId first_in_order() const {
    const auto position = [&](const Ready& ready) { return position_[ready.node]; };
    return std::ranges::min_element(ready_, {}, position)->node;
  }

  Problem problem_;
  const Children& favourite_;
  MemorySchedule machine_;
  IdVector<NodeId, std::uint32_t> position_;
  IdVector<DeviceId, std::optional<NodeId>> last_;  // run on each device
  std::vector<Ready> ready_;
  Duration now_{0}, next_event_{0};
};

}  // namespace

void m_sct(const Context& context, const MSctOptions& options) {
  if (!milp_available())
    return context.incumbent.fail(
        "m-sct needs a linear-programming solver (HiGHS), which this build lacks");
  const Coarsening units = contract_units(context.problem);
  const Coarsening groups = contract_sole_consumers(units.problem);
  const SctFavourites favourites = favourite_children(groups.problem, context.budget);
  context.incumbent.take(expand(
      units, expand(groups, SmallCommunication(groups.problem, favourites.child, options.reserve)
                                .run(context.budget))));
  if (!favourites.failure.empty())
    context.incumbent.note("m-sct: the linear program was not solved (" + favourites.failure +
                           "), so no node has a favourite child");
}

}  // namespace berth
