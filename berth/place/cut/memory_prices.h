// Prices per byte that make a cut fit into memory: Lagrangian relaxation of the limits.
//
//   L(mu) = min over P of  C(P) + sum over d of mu_d (m_d(P) - M_d)  <=  optimum, for any mu >= 0
// where m_d counts weights. With two devices one price matters (moving bytes off one device puts
// them on the other), and the best one is found exactly: each placement is a line in mu, and the
// next mu is where the lines of the cheapest placement that fits and of the cheapest that does not
// intersect; it ends when the cut there lies on both (Handler and Zang 1980). With more devices
// prices rise where memory overflows and fall slowly where it does not.
#pragma once

#include <functional>

#include "berth/place/cut/additive_cost.h"
#include "berth/search/budget.h"

namespace berth {

// Told of every placement on the way.
using Consider = std::function<void(const UnitDevices&)>;
// Whether a device's memory overflows under a placement, by the problem's own rule.
using Overfull = std::function<bool(const UnitDevices&, DeviceId)>;

// Two devices, of which `full` overflows without a price. Returns the best L found.
Duration price_one_device(const AdditiveCost& cost, DeviceId full, const Budget& budget,
                          const Consider& consider);
// Two devices: raises the price on `full` until it no longer overflows by the problem's own rule,
// then halves the interval towards the smallest such price.
void price_until_it_fits(const AdditiveCost& cost, DeviceId full, const Budget& budget,
                         const Consider& consider, const Overfull& overfull);
// Any number of devices.
void price_all_devices(const AdditiveCost& cost, const Budget& budget, const Consider& consider,
                       const Overfull& overfull);

}  // namespace berth
