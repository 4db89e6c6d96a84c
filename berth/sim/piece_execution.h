// Execution in pieces: the sub-models of a placement, each compiled for its device and run as a
// whole.
//
// What a machine really runs is not nodes but pieces. A piece is a request of its own, and the
// images that enter or leave it may have to be converted:
//   time(P) = sum of p(v, d) over its nodes + overhead(d) + border(P) / border speed(d)
// for the piece's device d. Convolutions compute in blocks of channels, so that a piece with one of
// them converts the tensors with at least four dimensions that come from or go to other pieces:
// border(P) is the bytes of these, once per tensor. Between a piece and one on another device
// passes transfer(t, a, b), the longest of the tensors t that the second uses; transfers do not
// wait for each other, whatever the channels, and take no time of the devices. Devices compete for
// memory: while k of them are busy, each works 1 + c (k - 1) times slower, c being the model's
// contention.
//
//   latency     eager pieces (pieces.h). Devices work in parallel, each on one piece at a time.
//               Repeat, taking the earliest event, completions before starts, lower devices first:
//               an idle device starts, of its pieces whose inputs have all arrived, the one with
//               the longest way to go,
//                 rank(P) = time(P) + max over pieces Q that use it of ( transfer + rank(Q) )
//               or, when the placement carries an order, the one whose first node comes first
//               there; of equals the lower number. With contention, what is left of every running
//               piece falls by the time passed over the slowness until then, and its end is set
//               anew, at each event. The value is the end of the last piece.
//   throughput  subgraphs (pieces.h), so that pieces are few. Every device works on another sample:
//               with L(d) the sum of time(P) of a device, it is busy for
//                 load(d) = L(d) + c * sum of L(e) over the other devices e
//               as a device that has less to do disturbs less; the value is the largest load.
//               Devices that repeat each other (Placement::replicas) divide the samples so that all
//               are done at once, the faster ones taking more: with A(e) the time of the whole
//               stage on e, each of them has L(d) = 1 / ( sum of 1 / A(e) over all that share it ).
//
// In the schedule a piece begins with what it costs beyond its nodes, which follow one after
// another, all slowed alike; for throughput it is that of one sample by itself. O(V + E) for a
// placement beside the cutting (piece_cutter.h), nothing allocated in the long run.
#pragma once

#include "berth/placement.h"
#include "berth/sim/pieces.h"
#include "berth/sim/schedule.h"

namespace berth {

// border(P) of every piece, in bytes per sample.
std::vector<double> border_bytes(const Graph& graph, const Pieces& pieces);

class PieceSimulator {
 public:
  explicit PieceSimulator(const Problem& problem);
  ~PieceSimulator();
  PieceSimulator(PieceSimulator&&) noexcept;

  // The problem's objective. `order` is empty or a topological order of all nodes.
  Duration run(std::span<const DeviceId> device_of, std::span<const NodeId> order = {});
  // Throughput of a placement whose replicas broken_rule accepts.
  Duration run_replicated(const Placement& placement);
  // All nodes, by falling rank of their pieces, of equals the lower number first: a topological
  // order. A placement that carries it runs as one without an order.
  std::vector<NodeId> start_order(std::span<const DeviceId> device_of);
  // How long each device was busy in the last run, in microseconds.
  std::span<const double> loads() const;

  Schedule record(std::span<const DeviceId> device_of, std::span<const NodeId> order = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace berth
