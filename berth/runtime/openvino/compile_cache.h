// Compiled pieces, kept from one placement to the next.
//
// A piece is known by the model it comes from, its operators, the device that runs it and the
// properties it is compiled with; its sub-model follows from the operators (submodels.h). A search
// that measures placements therefore compiles only what it has not seen. Pieces that are missing
// are compiled in parallel, one thread per core.
//
// Compiled weights are copies, so the cache keeps at most kBudget of weights that no executor uses
// any more, and drops the longest unused ones first.
#pragma once

#include <map>
#include <tuple>

#include "berth/runtime/openvino/submodels.h"

namespace berth {

struct CompiledPiece {
  std::vector<NodeId> nodes;
  SubModel sub;
  ov::CompiledModel compiled;
  std::string executed_on;
};

class CompileCache {
 public:
  static constexpr Bytes kBudget{std::int64_t{2} << 30};

  explicit CompileCache(ov::Core& core) : core_(core) {}

  struct Request {
    std::vector<NodeId> nodes;  // ascending
    const RealDevice* device;
  };
  struct Answer {
    std::shared_ptr<CompiledPiece> piece;
    bool from_cache = false;
  };
  // One answer per request. Throws Error when a device refuses a piece, or when OpenVINO would run
  // it elsewhere.
  std::vector<Answer> compile(const OpenvinoModel& model, std::span<const Request> requests);

  std::size_t compiled_count() const { return compiled_count_; }  // since the start

 private:
  using Key = std::tuple<const ov::Model*, std::string, std::vector<NodeId>>;
  struct Entry {
    std::shared_ptr<ov::Model> whole;  // keeps the model's address from being reused
    std::shared_ptr<CompiledPiece> piece;
    Bytes weights{};
    std::uint64_t last_use = 0;
  };

  std::shared_ptr<CompiledPiece> compile_one(const OpenvinoModel& model, const Request& request);
  void drop_oldest();

  ov::Core& core_;
  std::map<Key, Entry> entries_;
  std::uint64_t clock_ = 0;
  std::size_t compiled_count_ = 0;
};

}  // namespace berth
