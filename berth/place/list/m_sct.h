// m-sct: small communication times with memory (Baechi).
//
// A linear program names favourite children (sct_program.h); then a list scheduler goes through
// time on the machine of memory_schedule.h, and a device that has just run i keeps itself awake for
// i's favourite child j. U(o), the urgency of a ready node, is the largest est(o,.) over the
// devices it may use: from then on no device is better than another.
//   awake   j is ready, fits on d, and no device has a smaller est(j,.):
//             run the urgent node of least U(o) <= now that fits on d, if there is one;
//             else j when est(j,d) <= now; else wait
//   free    otherwise: run the ready node of least est(o,d) <= now that fits on d
// Of all idle devices' candidates the one of least (est, topological position, finish, device)
// runs; when there is none, time moves to the next event. O(V * ready nodes * D) after the program.
//
// Jeon et al., Baechi: Fast Device Placement of Machine Learning Graphs, SoCC 2020.
#pragma once

#include "berth/place/context.h"

namespace berth {

struct MSctOptions {
  bool reserve = false;
  void visit(auto& v) {
    v("reserve", reserve,
      "a group needs room for its largest output when its first node is placed");
  }
};

void m_sct(const Context& context, const MSctOptions& options);

}  // namespace berth
