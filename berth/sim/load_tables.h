// What the loads of loads.h are made of, in flat arrays, and what one tensor adds to them: shared by
// LoadEvaluator, which adds up a whole placement, and LoadState, which keeps one under moves.
//
// A transfer is linear in frequency and amount of the tensor unless times are given by pair of
// devices (transfer_table.h). Then one pass over the tensors only adds up flows in a matrix by
// (from, to), without a branch; the matrix is priced at the end. Tensors with one or two consumers
// need no memory of where they have been sent already.
#pragma once

#include "berth/sim/loads.h"

namespace berth {

struct LoadTables {
  using Flow = TransferTable::Flow;
  struct SingleUse {
    std::uint32_t producer, consumer, half;
    Flow flow;
  };
  struct TwoUses {
    std::uint32_t producer, first, second, half;
    Flow flow;
  };
  struct ManyUses {
    std::uint32_t producer, begin, end, half;
    Flow flow;
  };
  // A device with consumers of a tensor.
  struct Receiver {
    std::uint16_t device = 0;
    std::uint32_t consumers = 0;
  };

  explicit LoadTables(const Problem& given);

  // Of a tensor or a flow: its transfer, of calls the read; its write, in calls once for all.
  template <class Sent>
  double move_time(const Sent& sent, std::size_t from, std::size_t to) const {
    if (!call) return transfers(sent, from, to);
    return host[to] ? 0.0 : transfers(sent, host_of[to], to);
  }
  template <class Sent>
  double write_time(const Sent& sent, std::size_t from) const {
    return host[from] ? 0.0 : transfers(sent, from, host_of[from]);
  }
  void add_move(Loads& loads, std::size_t half, std::size_t from, std::size_t to,
                double time) const {
    loads.half[half].in[to] += time;
    loads.total += time;
    if (call) return;
    loads.half[half].out[from] += time;
    const std::size_t link = from * devices + to;
    for (std::uint32_t c = channel_begin[link]; c < channel_begin[link + 1]; ++c)
      loads.half[half].traffic[channel_of_link[c]] += time;
  }
  void add_write(Loads& loads, std::size_t half, std::size_t from, double time) const {
    loads.half[half].out[from] += time;
    loads.total += time;
  }
  // Adds `sign` times what sending the tensor to all receivers but its own device costs. `reached`
  // gathers the other servers that it comes to.
  void charge(Loads& loads, std::uint32_t tensor, std::uint32_t from,
              std::span<const Receiver> receivers, double sign,
              std::vector<std::uint32_t>& reached) const {
    const std::size_t half = tensor_half[tensor];
    bool leaves = false;
    reached.clear();
    for (const auto& [to, consumers] : receivers) {
      if (to == from) continue;
      leaves = true;
      add_move(loads, half, from, to, sign * move_time(tensor, from, to));
      if (servers == 0 || server_of[to] == server_of[from] ||
          std::ranges::find(reached, server_of[to]) != reached.end())
        continue;
      reached.push_back(server_of[to]);
      loads.half[half].network_in[server_of[to]] += sign * network[tensor];
    }
    if (leaves && call) add_write(loads, half, from, sign * write_time(tensor, from));
    if (!reached.empty()) loads.half[half].network_out[server_of[from]] += sign * network[tensor];
  }

  Problem problem;
  TransferTable transfers;
  std::size_t devices, channels;
  bool call;
  std::size_t servers = 0;                        // on a network that counts
  std::vector<std::uint32_t> host_of, server_of;  // by device
  std::vector<double> network;                    // by tensor
  std::vector<std::uint32_t> producer, use_begin, use, channel_begin, channel_of_link;
  std::vector<std::uint8_t> tensor_half, node_half, host;
  bool linear = false;  // the flows below are all there is
  std::vector<SingleUse> singles;
  std::vector<TwoUses> pairs;
  std::vector<ManyUses> many;

 private:
  void add_devices();
  void add_flows();
};

}  // namespace berth
