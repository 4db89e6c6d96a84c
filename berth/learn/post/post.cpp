#include "berth/learn/post/post.h"

#include "berth/learn/post/learner.h"

namespace berth {

MakeLearner PostMethod::learner(const PostOptions& options) {
  return [options](const Task& task, std::uint64_t) {
    return std::make_unique<PostLearner>(task, options);
  };
}

}  // namespace berth
