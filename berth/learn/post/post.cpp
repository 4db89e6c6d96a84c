#include "berth/learn/post/post.h"

#include <utility>

#include "berth/base/fail.h"
#include "berth/learn/place_learned.h"
#include "berth/learn/post/learner.h"

namespace berth {

void PostOptions::check() const {
  for (const auto& [key, value] : {std::pair{"share", share}, std::pair{"smoothing", smoothing}})
    if (!(value > 0 && value <= 1))
      fail("post({}={}): expected more than 0, at most 1", key, value);
  if (groups < 1) fail("post(groups={}): expected at least 1", groups);
}

void post(const Context& context, const PostOptions& options) {
  place_learned(context, "post", options, [&](const Task& task, std::uint64_t) {
    return std::make_unique<PostLearner>(task, options);
  });
}

}  // namespace berth
