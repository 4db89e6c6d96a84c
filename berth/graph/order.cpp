#include "berth/graph/order.h"

#include <algorithm>

namespace berth {

IdVector<NodeId, std::uint32_t> positions(const std::vector<NodeId>& order) {
  IdVector<NodeId, std::uint32_t> position(order.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = static_cast<std::uint32_t>(i);
  return position;
}

std::vector<std::uint32_t> strongly_connected_components(
    const std::vector<std::vector<std::uint32_t>>& successors) {
  constexpr std::uint32_t kUnseen = 0;
  const std::size_t count = successors.size();
  std::vector<std::uint32_t> number(count, kUnseen), low(count, 0), component(count, 0), stack;
  std::vector<bool> on_stack(count, false);
  struct Frame {
    std::uint32_t node;
    std::size_t next;
  };
  std::vector<Frame> frames;
  std::uint32_t counter = 0, components = 0;

  for (std::uint32_t root = 0; root < count; ++root) {
    if (number[root] != kUnseen) continue;
    frames.push_back({root, 0});
    while (!frames.empty()) {
      Frame& frame = frames.back();
      const std::uint32_t node = frame.node;
      if (frame.next == 0) {
        number[node] = low[node] = ++counter;
        stack.push_back(node);
        on_stack[node] = true;
      }
      if (frame.next < successors[node].size()) {
        const std::uint32_t next = successors[node][frame.next++];
        if (number[next] == kUnseen)
          frames.push_back({next, 0});
        else if (on_stack[next])
          low[node] = std::min(low[node], number[next]);
        continue;
      }
      if (low[node] == number[node]) {
        std::uint32_t member;
        do {
          member = stack.back();
          stack.pop_back();
          on_stack[member] = false;
          component[member] = components;
        } while (member != node);
        ++components;
      }
      frames.pop_back();
      if (!frames.empty()) {
        const std::uint32_t parent = frames.back().node;
        low[parent] = std::min(low[parent], low[node]);
      }
    }
  }
  return component;
}

}  // namespace berth
