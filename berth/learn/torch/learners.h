// The learners of the module, one line each here and in module.cpp.
#pragma once

#include "berth/learn/coloc_rl.h"
#include "berth/learn/hdp.h"
#include "berth/learn/hsdag.h"
#include "berth/learn/learner.h"
#include "berth/learn/placeto.h"

namespace berth {

std::unique_ptr<Learner> make_coloc_rl(const ColocRlOptions& options, const Task& task,
                                       std::uint64_t seed);
std::unique_ptr<Learner> make_hdp(const HdpOptions& options, const Task& task, std::uint64_t seed);
std::unique_ptr<Learner> make_hsdag(const HsdagOptions& options, const Task& task,
                                    std::uint64_t seed);
std::unique_ptr<Learner> make_placeto(const PlacetoOptions& options, const Task& task,
                                      std::uint64_t seed);

}  // namespace berth
