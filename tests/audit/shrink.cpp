#include "tests/audit/shrink.h"

#include <cmath>
#include <optional>
#include <vector>

#include "tests/audit/parts.h"

namespace berth::audit {
namespace {

using Change = std::function<void(Parts&)>;

template <class List>
void erase_at(List& list, std::size_t at) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
}

double rounded(double micros) { return std::isfinite(micros) ? std::round(micros) : micros; }

// Every way to make the problem smaller by one thing, the largest first.
std::vector<Change> changes(const Parts& parts) {
  std::vector<Change> all;
  for (std::size_t n = parts.nodes.size(); n-- > 0;)
    all.push_back([n](Parts& p) { p.drop_node(n); });
  for (std::size_t d = parts.cluster.device_count(); d-- > 0;)
    all.push_back([d](Parts& p) { p.drop_device(d); });
  for (std::size_t t = parts.tensors.size(); t-- > 0;) {
    all.push_back([t](Parts& p) { erase_at(p.tensors, t); });
    for (std::size_t c = 0; c < parts.tensors[t].consumers.size(); ++c)
      all.push_back([t, c](Parts& p) { erase_at(p.tensors[t].consumers, c); });
  }
  all.push_back([](Parts& p) { p.constraints = {}; });
  for (std::size_t i = 0; i < parts.constraints.pin.size(); ++i)
    all.push_back([i](Parts& p) { erase_at(p.constraints.pin, i); });
  for (std::size_t i = 0; i < parts.constraints.forbid.size(); ++i)
    all.push_back([i](Parts& p) { erase_at(p.constraints.forbid, i); });
  for (std::size_t i = 0; i < parts.constraints.together.size(); ++i)
    all.push_back([i](Parts& p) { erase_at(p.constraints.together, i); });
  for (std::size_t i = 0; i < parts.constraints.apart.size(); ++i)
    all.push_back([i](Parts& p) { erase_at(p.constraints.apart, i); });
  for (const DeviceId id : parts.cluster.devices())
    all.push_back([id](Parts& p) {
      Device device = p.cluster.device(id);
      device.memory.reset();
      device.piece_overhead = Duration{0};
      device.border_bytes_per_second = 0;
      device.server.clear();
      p.cluster.set_device(id, device);
    });
  all.push_back([](Parts& p) {
    const ExecutionWords words = words_of(p.model);
    p.model = execution_named(words.execution, words.objective);
  });
  all.push_back([](Parts& p) { p.model.max_subgraphs = 0; });
  all.push_back([](Parts& p) { set_field(p.model.execution, "contiguous", false); });
  all.push_back([](Parts& p) { set_field(p.model.execution, "pieces", 1); });
  for (std::size_t n = 0; n < parts.nodes.size(); ++n) {
    all.push_back([n](Parts& p) { p.nodes[n].group = kNoGroup; });
    all.push_back([n](Parts& p) { p.nodes[n].weights = p.nodes[n].workspace = Bytes{}; });
    all.push_back([n](Parts& p) { p.nodes[n].frequency = 1; });
    all.push_back([n](Parts& p) {
      for (double& time : p.times[n]) time = rounded(time);
    });
  }
  for (std::size_t t = 0; t < parts.tensors.size(); ++t)
    all.push_back([t](Parts& p) { p.tensors[t].tensor.role = TensorRole::kValue; });
  for (std::size_t t = 0; t < parts.tensors.size(); ++t)
    all.push_back([t](Parts& p) {
      for (double& time : p.tensors[t].micros) time = rounded(time);
    });
  return all;
}

}  // namespace

Problem shrink(const Problem& problem, const std::function<bool(const Problem&)>& still_wrong) {
  std::optional<Problem> smallest = Parts(problem).build();
  if (!smallest || !still_wrong(*smallest)) return problem;
  for (bool smaller = true; smaller;) {
    smaller = false;
    const std::size_t count = changes(Parts(*smallest)).size();
    for (std::size_t i = 0; i < count; ++i) {
      const Parts before(*smallest);
      const std::vector<Change> all = changes(before);
      if (i >= all.size()) break;
      Parts parts = before;
      all[i](parts);
      const std::optional<Problem> next = parts.build();
      if (!next) continue;
      if (next->graph() == smallest->graph() && next->cluster() == smallest->cluster() &&
          next->costs() == smallest->costs() && next->constraints() == smallest->constraints() &&
          next->model() == smallest->model())
        continue;
      if (!still_wrong(*next)) continue;
      smallest = next;
      smaller = true;
    }
  }
  return *smallest;
}

}  // namespace berth::audit
