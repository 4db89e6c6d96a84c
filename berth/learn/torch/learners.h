// The learners of the module, one line each here and in module.cpp.
#pragma once

#include "berth/learn/hsdag.h"
#include "berth/learn/placeto.h"

namespace berth {

std::unique_ptr<Learner> make_hsdag(const HsdagOptions& options, const Task& task,
                                    std::uint64_t seed);
std::unique_ptr<Learner> make_placeto(const PlacetoOptions& options, const Task& task,
                                      std::uint64_t seed);

}  // namespace berth
