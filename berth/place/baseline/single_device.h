// Everything on one device: the floor every table starts from.
//
// Each device that may run every node is tried and measured by the simulator; the best feasible one
// wins, the first of equals. One evaluation per device.
#pragma once

#include <string>

#include "berth/place/placer.h"

namespace berth {

class SingleDevice : public Placer {
 public:
  struct Options {
    std::string device;  // its name; empty: the best one
    void visit(auto& v) { v("device", device, "name of the device; empty: the best of all"); }
  };
  explicit SingleDevice(Options options) : options_(std::move(options)) {}
  Outcome place(const Problem& problem, Budget& budget, Rng& rng) const override;

 private:
  Options options_;
};

}  // namespace berth
