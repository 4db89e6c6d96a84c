// Runs the pieces of a placement at the same time, each on its device.
//
// One worker thread per device, pinned to the device's cores, takes ready pieces: those whose
// inputs are all there, counted down as their producers finish. Of several it takes the one of the
// oldest request, then the earliest in the placement's order; where it has none, as execution in
// pieces ranks them (sim/piece_execution.h), with times guessed from operations and bytes. A
// consumer's input tensor is its producer's output tensor: nothing is copied on our side.
//
// For throughput several requests are in flight. Each has a slot: an inference request per piece,
// with tensors of its own, so memory grows with the number in flight. A piece that several devices
// share is compiled for each, and slots use its copies in turn; a slot takes the next sample when
// it is done with one, so that a faster device takes more of them. An idle worker watches for some
// milliseconds while a run is on before it sleeps, because waking a thread takes as long as many a
// piece.
//
// A request costs one lock per piece; compilation and wiring happen before.
#pragma once

#include "berth/runtime/openvino/compile_cache.h"

namespace berth {

// A piece as one device has it.
struct PieceCopy {
  std::shared_ptr<CompiledPiece> compiled;
  std::size_t device = 0;  // index into the devices
  bool from_cache = false;
};

struct PreparedPiece {
  std::vector<PieceCopy> copies;  // one, or one per device that shares it
  double priority = 0;            // among ready pieces of one request, the largest goes first
};

std::unique_ptr<Executor> piece_executor(const OpenvinoModel& model,
                                         std::vector<RealDevice> devices,
                                         std::vector<PreparedPiece> pieces);

}  // namespace berth
