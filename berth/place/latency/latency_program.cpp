#include "berth/place/latency/latency_program.h"

#include <cmath>
#include <map>
#include <set>

#include "berth/place/latency/call_chain.h"
#include "berth/sim/call.h"
#include "berth/unit_graph.h"

namespace berth {
namespace {

constexpr double kKnown = 1000;              // what the known latency becomes
constexpr double kHorizon = 1.001 * kKnown;  // at the very edge rounding decides what is feasible

std::size_t accelerator_count(const Problem& problem) {
  return static_cast<std::size_t>(std::ranges::count_if(problem.devices(), [&](DeviceId device) {
    return !problem.cluster().device(device).is_host();
  }));
}

}  // namespace

std::size_t LatencyProgram::size(const Problem& problem) {
  const std::size_t calls = accelerator_count(problem);
  return problem.node_count() * (2 * calls + 2) +
         calls * (problem.unit_count() + problem.graph().tensor_count());
}

LatencyProgram::LatencyProgram(const Problem& problem, Duration known, Duration bound)
    : problem_(problem),
      scale_(kKnown / std::max(1e-9, known.count())),
      bound_(bound.count() * scale_),
      calls_(accelerator_count(problem)) {
  latency_ = model_.add_variable({.lower = bound_ * (1 - 1e-9), .cost = 1});
  add_options();
  add_assignment();
  add_slots();
  add_limits();
  add_calls();
  add_first_clock();
  add_second_clock();
}

void LatencyProgram::add_options() {
  for (const DeviceClass& kind : device_classes(with_call_loads(problem_))) {
    if (kind.price >= 0) {
      for (std::size_t j = 0; j < calls_; ++j)
        options_.push_back({kind.devices, static_cast<int>(j)});
    } else if (kind.memory || !problem_.apart().empty()) {
      for (const DeviceId device : kind.devices) options_.push_back({{device}, -1});
    } else {
      options_.push_back({{kind.devices.front()}, -1});  // CPUs do not queue: one stands for all
    }
  }
}

void LatencyProgram::add_assignment() {
  for (const UnitId unit : problem_.units()) {
    std::vector<Term> one;
    for (const Option& option : options_) {
      const bool allowed = problem_.unit_allows(unit, option.kind());
      x_.push_back(model_.add_variable({.upper = allowed ? 1.0 : 0.0, .integer = true}));
      one.push_back({x_.back(), 1});
    }
    model_.add_row(1, 1, one);
  }
  // Every call is of one kind, and no kind has more calls than devices.
  std::map<DeviceId, std::vector<Term>> of_kind;
  std::vector<std::vector<Term>> of_call(calls_);
  std::map<DeviceId, std::size_t> most;
  for (const Option& option : options_)
    if (option.call >= 0) most[option.kind()] = option.devices.size();
  if (most.size() <= 1) return;
  for (std::size_t o = 0; o < options_.size(); ++o) {
    if (options_[o].call < 0) continue;
    const VariableId chosen = model_.add_binary();
    of_call[static_cast<std::size_t>(options_[o].call)].push_back({chosen, 1});
    of_kind[options_[o].kind()].push_back({chosen, 1});
    for (const UnitId unit : problem_.units())
      model_.add_row(-kNoLimit, 0, {{x(unit, o), 1}, {chosen, -1}});
  }
  for (const auto& row : of_call) model_.add_row(-kNoLimit, 1, row);
  for (const auto& [kind, row] : of_kind)
    model_.add_row(-kNoLimit, static_cast<double>(most[kind]), row);
}

void LatencyProgram::add_slots() {
  const Graph& graph = problem_.graph();
  const std::size_t slots = 2 * calls_;
  for (std::size_t i = 0; i < graph.node_count() * slots; ++i)
    slot_.push_back(model_.add_variable({.upper = 1, .integer = true}));
  for (const NodeId node : graph.nodes()) {
    for (std::size_t s = 0; s + 1 < slots; ++s)
      if (s % 2 == 1) model_.add_row(-kNoLimit, 0, {slot(node, s, 1), slot(node, s + 1, -1)});
    for (std::size_t j = 0; j < calls_; ++j) {  // x is not negative: that orders 2j and 2j + 1
      std::vector<Term> row{slot(node, 2 * j + 1, -1), slot(node, 2 * j, 1)};
      add_in_call(problem_.unit_of(node), j, 1, row);
      model_.add_row(0, 0, row);
    }
    for (const NodeId next : graph.successors(node))
      for (std::size_t s = 0; s < slots; ++s)
        model_.add_row(-kNoLimit, 0, {slot(next, s, 1), slot(node, s, -1)});
  }
}

void LatencyProgram::add_limits() {
  const UnitGraph& units = unit_graph(problem_);
  for (std::size_t o = 0; o < options_.size(); ++o) {
    for (const std::vector<UnitId>& set : problem_.apart()) {
      std::vector<Term> row;
      for (const UnitId unit : set) row.push_back({x(unit, o), 1});
      model_.add_row(-kNoLimit, 1, row);
    }
    const std::optional<Bytes> memory = problem_.cluster().device(options_[o].kind()).memory;
    if (!memory) continue;
    const double limit = std::max(1.0, static_cast<double>(memory->count));
    const VariableId workspace = model_.add_variable({});
    std::vector<Term> row{{workspace, 1}};
    for (const UnitId unit : problem_.units()) {
      const double bytes = static_cast<double>(units.private_weights(unit).count);
      const double work = static_cast<double>(units.largest_workspace(unit).count);
      row.push_back({x(unit, o), bytes / limit});
      if (work > 0) model_.add_row(0, kNoLimit, {{workspace, 1}, {x(unit, o), -work / limit}});
    }
    for (const UnitGraph::SharedWeight& shared : units.shared_weights()) {
      std::vector<VariableId> holders{x(shared.net.producer, o)};
      for (const UnitId user : units.consumers(shared.net)) holders.push_back(x(user, o));
      row.push_back({model_.add_any(holders), static_cast<double>(shared.size.count) / limit});
    }
    // Whole bytes: half of one keeps rounding from forbidding an exact fit.
    model_.add_row(-kNoLimit, (static_cast<double>(memory->count) + 0.5) / limit, row);
  }
}

void LatencyProgram::add_calls() {
  const UnitGraph& units = unit_graph(problem_);
  std::vector<std::vector<Term>> load(calls_);
  for (std::size_t o = 0; o < options_.size(); ++o) {
    if (options_[o].call < 0) continue;
    std::vector<Term>& row = load[static_cast<std::size_t>(options_[o].call)];
    const DeviceId device = options_[o].kind();
    for (const UnitId unit : problem_.units()) {
      double sum = 0;
      for (const NodeId node : problem_.members(unit)) sum += time(node, o);
      if (std::isfinite(sum)) row.push_back({x(unit, o), -sum});
    }
    // Tensors with equal pins share their cut.
    std::map<std::pair<UnitId, std::vector<UnitId>>, std::pair<double, double>> nets;
    for (const UnitGraph::Net& net : units.nets()) {
      std::vector<UnitId> users(units.consumers(net).begin(), units.consumers(net).end());
      std::ranges::sort(users);
      auto& [read, write] = nets[{net.producer, std::move(users)}];
      read += problem_.read_from_host(net.tensor, device).count() * scale_;
      write += problem_.write_to_host(net.tensor, device).count() * scale_;
    }
    for (const auto& [pins, price] : nets) {
      const auto add_cut = [&](double weight, bool reads, bool writes) {
        if (weight <= 0) return;
        const VariableId cut = model_.add_variable({.upper = 1});
        row.push_back({cut, -weight});
        for (const UnitId user : pins.second) {
          if (writes) model_.add_excess(cut, x(pins.first, o), x(user, o));
          if (reads) model_.add_excess(cut, x(user, o), x(pins.first, o));
        }
      };
      if (price.first == price.second) {
        add_cut(price.first, true, true);
      } else {
        add_cut(price.first, true, false);
        add_cut(price.second, false, true);
      }
    }
  }
  for (std::size_t j = 0; j < calls_; ++j) {
    start_.push_back(model_.add_variable({.upper = kHorizon}));
    finish_.push_back(model_.add_variable({.upper = kHorizon}));
    load[j].push_back({finish_[j], 1});
    load[j].push_back({start_[j], -1});
    model_.add_row(0, 0, load[j]);
    model_.add_row(0, kNoLimit, {{latency_, 1}, {finish_[j], -1}});
    if (j > 0) model_.add_row(0, kNoLimit, {{start_[j], 1}, {start_[j - 1], -1}});
  }
}

void LatencyProgram::add_first_clock() {
  const Graph& graph = problem_.graph();
  for (std::size_t v = 0; v < graph.node_count(); ++v)
    ready_.push_back(model_.add_variable({.upper = kHorizon}));
  for (const NodeId node : graph.nodes()) {
    const UnitId unit = problem_.unit_of(node);
    const VariableId ready = ready_[index(node)];
    model_.add_row(0, kNoLimit, {{latency_, 1}, {ready, -1}});
    std::vector<Term> own{{ready, 1}};
    for (std::size_t o = 0; o < options_.size(); ++o)
      if (options_[o].call < 0 && std::isfinite(time(node, o)))
        own.push_back({x(unit, o), -time(node, o)});
    model_.add_row(0, kNoLimit, own);
    for (const NodeId before : graph.predecessors(node)) {
      std::vector<Term> row = own;
      row.push_back({ready_[index(before)], -1});
      model_.add_row(0, kNoLimit, row);
    }
    for (std::size_t j = 0; j < calls_; ++j) {
      std::vector<Term> row{{ready, 1}, {finish_[j], -1}};
      add_in_call(unit, j, -kHorizon, row);
      model_.add_row(-kHorizon, kNoLimit, row);
    }
    std::set<UnitId> users;
    for (const NodeId next : graph.successors(node))
      if (problem_.unit_of(next) != unit) users.insert(problem_.unit_of(next));
    for (const UnitId user : users)
      for (std::size_t j = 0; j < calls_; ++j) {
        std::vector<Term> row{{start_[j], 1}, {ready, -1}};
        add_in_call(user, j, -kHorizon, row);
        add_in_call(unit, j, kHorizon, row);
        model_.add_row(-kHorizon, kNoLimit, row);
      }
  }
}

void LatencyProgram::add_second_clock() {
  const Graph& graph = problem_.graph();
  std::vector<VariableId> tau;
  for (std::size_t v = 0; v < graph.node_count(); ++v)
    tau.push_back(model_.add_variable({.upper = kHorizon}));
  // By unit pair and kind of accelerator: whether the first's data enters or leaves a call.
  struct Crossing {
    VariableId enter, leave;
  };
  std::map<std::tuple<UnitId, UnitId, DeviceId>, Crossing> crossings;
  const auto crossing = [&](UnitId from, UnitId to, DeviceId kind) {
    const auto [at, fresh] = crossings.try_emplace({from, to, kind});
    if (!fresh) return at->second;
    at->second = {model_.add_variable({.upper = 1}), model_.add_variable({.upper = 1})};
    for (std::size_t o = 0; o < options_.size(); ++o) {
      if (options_[o].call < 0 || options_[o].kind() != kind) continue;
      model_.add_excess(at->second.enter, x(to, o), x(from, o));
      model_.add_excess(at->second.leave, x(from, o), x(to, o));
    }
    return at->second;
  };
  for (const NodeId node : graph.nodes()) {
    const UnitId unit = problem_.unit_of(node);
    std::vector<Term> own{{tau[index(node)], 1}};
    for (std::size_t o = 0; o < options_.size(); ++o)
      if (std::isfinite(time(node, o))) own.push_back({x(unit, o), -time(node, o)});
    model_.add_row(0, kNoLimit, own);
    model_.add_row(0, kNoLimit, {{latency_, 1}, {tau[index(node)], -1}});
    for (const NodeId before : graph.predecessors(node)) {
      std::vector<Term> row = own;
      row.push_back({tau[index(before)], -1});
      const UnitId from = problem_.unit_of(before);
      DeviceId last_kind = static_cast<DeviceId>(problem_.device_count());
      for (const Option& option : options_) {
        const DeviceId kind = option.kind();
        if (from == unit || option.call < 0 || kind == last_kind) continue;
        last_kind = kind;
        double read = 0, write = 0;
        for (const TensorId tensor : graph.inputs(node)) {
          if (graph.producer(tensor) != before) continue;
          read += problem_.read_from_host(tensor, kind).count() * scale_;
          write += problem_.write_to_host(tensor, kind).count() * scale_;
        }
        if (read + write <= 0) continue;
        const Crossing at = crossing(from, unit, kind);
        row.push_back({at.enter, -read});
        row.push_back({at.leave, -write});
      }
      model_.add_row(0, kNoLimit, row);
    }
  }
}

std::vector<double> LatencyProgram::start_from(const Placement& placement) const {
  const Graph& graph = problem_.graph();
  const std::span<const DeviceId> device_of = placement.device_of.items();
  const Pieces pieces = cut_into_pieces(problem_, device_of, PieceKind::kCalls);
  // Calls in their order in time; pieces are in topological order, which decides between equals.
  const std::vector<Duration> start = call_starts(problem_, pieces);
  std::vector<std::uint32_t> calls;
  for (std::uint32_t p = 0; p < pieces.count(); ++p)
    if (!problem_.cluster().device(pieces.device[p]).is_host()) calls.push_back(p);
  if (calls.size() > calls_) return {};
  std::ranges::stable_sort(calls, {}, [&](std::uint32_t piece) { return start[piece]; });
  std::vector<int> call_of(pieces.count(), -1);
  for (std::size_t j = 0; j < calls.size(); ++j) call_of[calls[j]] = static_cast<int>(j);
  // A node on a CPU is in the first slot after all calls before it.
  IdVector<NodeId, int> slot_of(graph.node_count(), 0);
  for (const NodeId node : graph.topological_order()) {
    const int call = call_of[pieces.piece_of[node]];
    if (call >= 0) {
      slot_of[node] = 2 * call + 1;
      continue;
    }
    for (const NodeId before : graph.predecessors(node))
      slot_of[node] = std::max(slot_of[node], slot_of[before] + slot_of[before] % 2);
  }
  std::vector<double> values(model_.variable_count(), std::nan(""));
  for (const UnitId unit : problem_.units()) {
    const NodeId first = problem_.members(unit).front();
    const DeviceId device = placement.device_of[first];
    const bool host = problem_.cluster().device(device).is_host();
    std::optional<std::size_t> chosen;
    for (std::size_t o = 0; o < options_.size(); ++o) {
      const std::vector<DeviceId>& devices = options_[o].devices;
      const bool fits =
          host ? options_[o].call < 0 : options_[o].call == call_of[pieces.piece_of[first]];
      if (!fits) continue;
      const bool same = std::ranges::count(devices, device) > 0;
      // A CPU kind is represented by its first device.
      if (same || (host && !chosen && problem_.unit_allows(unit, devices.front()))) chosen = o;
      if (same) break;
    }
    if (!chosen) return {};
    for (std::size_t o = 0; o < options_.size(); ++o)
      values[index(x(unit, o))] = o == *chosen ? 1.0 : 0.0;
  }
  for (const NodeId node : graph.nodes())
    for (std::size_t s = 0; s < 2 * calls_; ++s)
      values[index(slot(node, s, 1).variable)] = slot_of[node] <= static_cast<int>(s) ? 1.0 : 0.0;
  return values;
}

Placement LatencyProgram::decode(std::span<const double> values) const {
  Placement placement{IdVector<NodeId, DeviceId>(problem_.node_count()), {}};
  std::map<DeviceId, std::size_t> used;       // of each kind
  std::map<std::size_t, DeviceId> device_of;  // of each option
  for (const UnitId unit : problem_.units()) {
    std::size_t chosen = 0;
    for (std::size_t o = 1; o < options_.size(); ++o)
      if (values[index(x(unit, o))] > values[index(x(unit, chosen))]) chosen = o;
    const std::vector<DeviceId>& devices = options_[chosen].devices;
    const auto [at, fresh] = device_of.try_emplace(chosen, devices.front());
    if (fresh && options_[chosen].call >= 0) {
      std::size_t& count = used[devices.front()];
      at->second = devices[std::min(count, devices.size() - 1)];
      ++count;
    }
    for (const NodeId node : problem_.members(unit)) placement.device_of[node] = at->second;
  }
  return placement;
}

}  // namespace berth
