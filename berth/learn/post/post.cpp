#include "berth/learn/post/post.h"

#include "berth/learn/place_learned.h"
#include "berth/learn/post/learner.h"

namespace berth {

void post(const Context& context, const PostOptions& options) {
  place_learned(context, "post", options, [&](const Task& task, std::uint64_t) {
    return std::make_unique<PostLearner>(task, options);
  });
}

}  // namespace berth
