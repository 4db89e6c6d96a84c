// m-etf: earliest task first with memory and serial channels (Baechi).
//
// Groups come from co-location and co-placement (transform/contract.h), times and memory from the
// machine of memory_schedule.h. Repeat: of all pairs (ready node v, device d that has room) run the
// one of least est(v,d); ties by topological position, then least finish, then device.
//
// est changes as channels fill up, so entries of the per-device heaps are looked at again when they
// come to the top. Almost always one look is enough, O((V log V + E) D); when many ready nodes wait
// for one channel, each step may look at all of them.
//
// Jeon et al., Baechi: Fast Device Placement of Machine Learning Graphs, SoCC 2020.
#pragma once

#include "berth/place/context.h"

namespace berth {

struct MEtfOptions {
  bool reserve = false;
  void visit(auto& v) {
    v("reserve", reserve,
      "a group needs room for its largest output when its first node is placed");
  }
};

void m_etf(const Context& context, const MEtfOptions& options);

}  // namespace berth
