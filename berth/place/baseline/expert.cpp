#include "berth/place/baseline/expert.h"

#include "berth/base/error.h"
#include "berth/io/placement_json.h"

namespace berth {

void ExpertOptions::check() const {
  if (file.empty())
    throw Error("expert takes a given split and needs its file: expert(file=split.json)");
}

void expert(const Context& context, const ExpertOptions& options) {
  context.incumbent.suggest(read_placement(options.file, context.problem));
  context.budget.count();
}

}  // namespace berth
