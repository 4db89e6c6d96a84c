#include "berth/learn/torch/checkpoint.h"

#include <sstream>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/io/files.h"

namespace berth {
namespace {

// A double or a count, kept exactly, as eight bytes of a tensor.
torch::Tensor numbers(const std::vector<double>& values) {
  return torch::tensor(values, torch::kDouble);
}
std::vector<double> numbers(const torch::Tensor& tensor) {
  const double* begin = tensor.data_ptr<double>();
  return {begin, begin + tensor.numel()};
}

}  // namespace

void write_checkpoint(const std::string& file, Learner& learner, const Scorer& scorer,
                      const std::vector<CurvePoint>& curve, const std::string& identity) {
  torch::serialize::OutputArchive archive, network, optimizer;
  learner.network().save(network);
  learner.optimizer().save(optimizer);
  archive.write("network", network);
  archive.write("optimizer", optimizer);
  archive.write("identity", c10::IValue(identity));
  std::vector<double> points, elite;
  for (const CurvePoint& point : curve)
    points.insert(points.end(),
                  {static_cast<double>(point.update), static_cast<double>(point.evaluations),
                   point.best.count(), point.reward, point.entropy, point.groups});
  for (const Scorer::Elite& member : scorer.elite()) {
    elite.push_back(member.score.value.count());
    elite.insert(elite.end(), member.devices.begin(), member.devices.end());
  }
  archive.write("curve", numbers(points));
  archive.write("elite", numbers(elite));
  archive.write("counts", numbers({static_cast<double>(scorer.simulated()),
                                   static_cast<double>(scorer.asked())}));
  std::ostringstream text;
  archive.save_to(text);
  write_file_atomically(file, std::move(text).str());
}

std::vector<CurvePoint> read_checkpoint(const std::string& file, Learner& learner, Scorer& scorer,
                                        const std::string& identity) {
  try {
    std::istringstream text(read_text_file(file));
    torch::serialize::InputArchive archive, network, optimizer;
    archive.load_from(text);
    c10::IValue found;
    archive.read("identity", found);
    if (found.toStringRef() != identity)
      throw Error(
          fmt::format("{}: belongs to '{}', not to '{}'", file, found.toStringRef(), identity));
    archive.read("network", network);
    archive.read("optimizer", optimizer);
    learner.network().load(network);
    learner.optimizer().load(optimizer);
    torch::Tensor points, elite, counts;
    archive.read("curve", points);
    archive.read("elite", elite);
    archive.read("counts", counts);
    std::vector<CurvePoint> curve;
    const std::vector<double> flat = numbers(points), members = numbers(elite),
                              count = numbers(counts);
    for (std::size_t i = 0; i + 5 < flat.size(); i += 6)
      curve.push_back({static_cast<int>(flat[i]), static_cast<std::uint64_t>(flat[i + 1]),
                       Duration{flat[i + 2]}, flat[i + 3], flat[i + 4], flat[i + 5]});
    const std::size_t sets = scorer.set_count();
    std::vector<Scorer::Elite> restored;
    for (std::size_t i = 0; i + sets < members.size(); i += sets + 1) {
      Scorer::Elite& member = restored.emplace_back();
      member.score.value = Duration{members[i]};
      for (std::size_t set = 0; set < sets; ++set)
        member.devices.push_back(static_cast<std::uint32_t>(members[i + 1 + set]));
    }
    scorer.restore(std::move(restored), static_cast<std::uint64_t>(count.at(0)),
                   static_cast<std::uint64_t>(count.at(1)));
    return curve;
  } catch (const c10::Error&) {
    throw Error(fmt::format("{}: not a checkpoint of berth, or damaged", file));
  }
}

}  // namespace berth
